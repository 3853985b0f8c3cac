"""The system calls a bot may make: the policy, and its assembly into a BPF program.

The policy is an allow-list. All other calls fail with EPERM, so that a bot sees an
ordinary `PermissionError`; calls that no honest program makes by accident end the process. There
is no fork, exec, socket or shared memory, so RLIMIT_AS bounds all the memory of a bot, and
no file can be opened for writing, even if its permissions allow it.

The program is assembled outside and installed by the jail. It runs on x86_64 and aarch64.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from ladder.runner.sandbox.syscalls import AUDIT_ARCH, number

# Not here, because they tell about others: `sysinfo` (the load), `getppid` (a process of the
# server), `readlink` (Landlock does not look at it).
ALLOWED = (
    # The first lines are the calls of a bot that thinks and replies: they are matched first.
    *("read", "write", "poll", "ppoll", "mmap", "munmap", "brk"),
    *("mprotect", "mremap", "madvise", "close", "fstat", "lseek", "getrandom"),
    *("readv", "pread64", "preadv", "writev", "dup", "dup2", "dup3", "pipe", "close_range"),
    # Waiting, for bots with threads or timers of their own.
    *("select", "pselect6", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "eventfd2"),
    *("pause", "alarm", "getitimer", "setitimer", "nanosleep"),
    *("rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend"),
    *("rt_sigtimedwait", "sigaltstack", "restart_syscall"),
    # Questions about itself.
    *("gettimeofday", "time", "times", "getpid", "gettid"),
    *("getuid", "geteuid", "getgid", "getegid", "getgroups", "getresuid", "getresgid"),
    *("getpgrp", "getrlimit", "getrusage", "umask", "sched_yield"),
    *("sched_get_priority_max", "sched_get_priority_min", "getcpu", "uname"),
    # Threads (`clone` is filtered below) and the end.
    *("set_tid_address", "set_robust_list", "rseq", "exit", "exit_group"),
)

OF_FILES = (
    # Reading files that Landlock lets through, importing modules.
    *("stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2"),
    *("getdents", "getdents64", "getcwd", "fadvise64"),
)

# Not here, because modules of the standard library try it when they are imported: `pidfd_open`.
FATAL = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease"),
    *("pidfd_getfd", "pidfd_send_signal", "kcmp", "bpf", "perf_event_open"),
    *("userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "vmsplice"),
    *("keyctl", "add_key", "request_key", "unshare", "setns", "mount", "umount2", "pivot_root"),
    *("chroot", "fsopen", "fsconfig", "fsmount", "fspick", "move_mount", "open_tree"),
    *("mount_setattr", "open_by_handle_at", "name_to_handle_at", "kexec_load", "kexec_file_load"),
    *("init_module", "finit_module", "delete_module", "reboot", "swapon", "swapoff"),
    *("clock_settime", "clock_adjtime", "settimeofday", "adjtimex", "sethostname"),
    *("setdomainname", "acct", "quotactl", "quotactl_fd", "syslog", "iopl", "ioperm"),
    *("modify_ldt", "vhangup", "lookup_dcookie", "fanotify_init", "seccomp", "personality"),
)

_X32_BIT = 0x40000000
"""Set in the number of every call of the x32 ABI, which shares the x86_64 architecture."""

# Offsets into `struct seccomp_data`, and the few instructions of classic BPF that are needed.
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16
_LOAD, _RETURN, _AND = 0x20, 0x06, 0x54
_IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT = 0x15, 0x35, 0x45
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000

Instruction = tuple[int, int, int, int]
"""Code, jump if true, jump if false, operand."""


@cache
def filter_program(machine: str, opens_files: bool = True, executes: bool = False) -> bytes:
    """The policy as a BPF program; raises `ValueError` for an architecture without a table.

    Without `opens_files` no call that takes a path is possible, and there are no threads. With
    `executes` the process may become another program: which one is up to Landlock and to the modes
    of files, and the filter stays.
    """
    if machine not in AUDIT_ARCH:
        raise ValueError(
            f"no table of system calls for {machine}, only for {', '.join(AUDIT_ARCH)}"
        )
    program = list(_prologue(machine))
    for name in (*ALLOWED, *OF_FILES) if opens_files else ALLOWED:
        program += _when(name, machine, [_give(_ALLOW)])
    for name, rule in (_RULES_OF_PROGRAMS if executes else {}).items():
        program += _when(name, machine, list(rule()))
    for name in FATAL:
        program += _when(name, machine, [_give(_KILL)])
    for name, rule in (_RULES if opens_files else _RULES_WITHOUT_FILES).items():
        program += _when(name, machine, list(rule()))
    program.append(_refuse(errno.EPERM))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)


def _prologue(machine: str) -> Iterator[Instruction]:
    yield _LOAD, 0, 0, _ARCH
    yield _IF_EQUAL, 1, 0, AUDIT_ARCH[machine]
    yield _give(_KILL)
    yield _LOAD, 0, 0, _NUMBER
    if machine == "x86_64":
        yield _IF_AT_LEAST, 0, 1, _X32_BIT
        yield _give(_KILL)


def _when(name: str, machine: str, body: list[Instruction]) -> list[Instruction]:
    """`body`, which always returns, for the call `name`; the next instructions for all others."""
    call = number(name, machine)
    if call is None:
        return []
    # Jumps reach 255 instructions: each call skips its own body instead of jumping to a far end.
    return [(_IF_EQUAL, 0, len(body), call), *body]


def _give(action: int) -> Instruction:
    return _RETURN, 0, 0, action


def _refuse(code: int) -> Instruction:
    return _give(_ERRNO | code)


def _load_low(argument: int) -> Instruction:
    # Both architectures are little-endian: the low half comes first. The kernel itself looks at
    # 32 bits only of the arguments that are compared here, unless `_load_high` is used as well.
    return _LOAD, 0, 0, _ARGUMENTS + 8 * argument


def _load_high(argument: int) -> Instruction:
    return _LOAD, 0, 0, _ARGUMENTS + 8 * argument + 4


def _one_of(argument: int, values: Iterable[int]) -> Iterator[Instruction]:
    yield _load_low(argument)
    for value in values:
        yield _IF_EQUAL, 0, 1, value
        yield _give(_ALLOW)
    yield _refuse(errno.EPERM)


def _no_bits(argument: int, forbidden: int) -> Iterator[Instruction]:
    yield _load_low(argument)
    yield _IF_ANY_BIT, 0, 1, forbidden
    yield _refuse(errno.EPERM)
    yield _give(_ALLOW)


def _only_threads() -> Iterator[Instruction]:
    """`clone` makes threads: it shares everything, and opens no namespace."""
    shared = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000  # VM, FS, FILES, SIGHAND, THREAD
    namespaces = 0x7E020000 | 0x80  # NEWNS, CGROUP, UTS, IPC, USER, PID, NET; TIME
    # SYSVSEM, SETTLS, PARENT_SETTID, CHILD_CLEARTID, DETACHED: other flags of C libraries.
    known = shared | 0x40000 | 0x80000 | 0x100000 | 0x200000 | 0x400000
    yield _load_low(0)
    yield _IF_ANY_BIT, 0, 1, namespaces
    yield _give(_KILL)
    yield _IF_ANY_BIT, 0, 1, 0xFFFFFFFF & ~known
    yield _refuse(errno.EPERM)
    yield _AND, 0, 0, shared
    yield _IF_EQUAL, 1, 0, shared
    yield _refuse(errno.EPERM)
    yield _give(_ALLOW)


def _own_locks() -> Iterator[Instruction]:
    """`futex` within the process: on a page of a file, it could wake a thread of another bot.

    Waiting there is allowed: that is how libc waits for the end of a thread.
    """
    private, realtime = 128, 256
    # WAIT, WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, WAIT_BITSET, WAKE_BITSET; none that lend priority.
    yield _load_low(1)
    yield _AND, 0, 0, 0xFFFFFFFF & ~realtime
    for operation in (0, 9, *(private | n for n in (0, 1, 3, 4, 5, 9, 10))):
        yield _IF_EQUAL, 0, 1, operation
        yield _give(_ALLOW)
    yield _refuse(errno.EPERM)


def _common_clocks() -> Iterator[Instruction]:
    """Clocks by small numbers; others show the CPU time of other processes."""
    yield _load_low(0)
    yield _IF_AT_LEAST, 0, 1, 16
    yield _refuse(errno.EPERM)
    yield _give(_ALLOW)


def _about_itself(argument: int = 0) -> Iterator[Instruction]:
    """Questions about a process, of which 0 is itself: others would show who else there is."""
    return _one_of(argument, (0,))


def _own_limits_unchanged() -> Iterator[Instruction]:
    """`prlimit64` of itself (pid 0) that sets nothing (a null pointer)."""
    for load in (_load_low(0), _load_low(2), _load_high(2)):
        yield load
        yield _IF_EQUAL, 1, 0, 0
        yield _refuse(errno.EPERM)
    yield _give(_ALLOW)


def _no_such_call() -> Iterator[Instruction]:
    # ENOSYS makes libc fall back to the older call, whose flags are visible to the filter.
    yield _refuse(errno.ENOSYS)


# Any access but reading, CREAT, TRUNC, TMPFILE; and PATH, which Landlock does not look at.
_OPEN_OTHERWISE = 0o3 | 0o100 | 0o1000 | 0o20000000 | 0o10000000

_RULES: dict[str, Callable[[], Iterator[Instruction]]] = {
    "openat": lambda: _no_bits(2, _OPEN_OTHERWISE),
    "open": lambda: _no_bits(1, _OPEN_OTHERWISE),
    "openat2": _no_such_call,
    "clone": _only_threads,
    "clone3": _no_such_call,
    # TCGETS, TIOCGWINSZ, FIONCLEX, FIOCLEX, FIONBIO, FIONREAD; not TIOCSTI, which types for others.
    "ioctl": lambda: _one_of(1, (0x5401, 0x5413, 0x5450, 0x5451, 0x5421, 0x541B)),
    # DUPFD, GETFD, SETFD, GETFL, SETFL, DUPFD_CLOEXEC; no locks, leases, owners or pipe sizes.
    "fcntl": lambda: _one_of(1, (0, 1, 2, 3, 4, 1030)),
    # SET_NAME, GET_NAME, GET_DUMPABLE, SET_VMA (libc names its arenas).
    "prctl": lambda: _one_of(0, (15, 16, 3, 0x53564D41)),
    "pipe2": lambda: _no_bits(1, 0xFFFFFFFF & ~(0o2000000 | 0o4000)),  # CLOEXEC, NONBLOCK
    # QUERY and commands for its own threads; the others interrupt every core of the machine.
    "futex": _own_locks,
    "clock_gettime": _common_clocks,
    "clock_getres": _common_clocks,
    "clock_nanosleep": _common_clocks,
    "getpgid": _about_itself,
    "getsid": _about_itself,
    "get_robust_list": _about_itself,
    "sched_getaffinity": _about_itself,
    "sched_getparam": _about_itself,
    "sched_getscheduler": _about_itself,
    "getpriority": lambda: _about_itself(1),
    "membarrier": lambda: _one_of(0, (0, 8, 16, 32, 64)),
    "prlimit64": _own_limits_unchanged,
}

_RULES_OF_PROGRAMS: dict[str, Callable[[], Iterator[Instruction]]] = {
    "execve": lambda: iter([_give(_ALLOW)]),
    # SET_FS: where the C library keeps what belongs to a thread.
    "arch_prctl": lambda: _one_of(0, (0x1002,)),
}

_RULES_WITHOUT_FILES = {
    name: rule for name, rule in _RULES.items() if name not in ("open", "openat", "clone")
}
