"""Runs first inside a sandbox: it locks the process down, then hands over to its guest.

Usage: python jail.py NAME=VALUE... (see `JailSettings`). Stdlib only, and few imports: this is on
the way of every bot's start. It is read as a script inside; the host imports it for the Landlock
version alone. The order of the walls matters: each step needs rights that a later one takes away.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
import sys

READY = b"jailed\n"
"""Written when all walls stand. An earlier failure is our fault, a later one the bot's."""

FAILED = 97
"""Exit status when a wall could not be raised."""

LIBRARY_PATH = "LD_LIBRARY_PATH"
"""The first folders of the dynamic linker. It reads this variable once, at the start."""

_MIB = 1 << 20

_SET_NO_NEW_PRIVS, _SET_DUMPABLE, _SET_PDEATHSIG, _SET_SECCOMP = 38, 4, 1, 22
_SECCOMP_FILTER = 2
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446  # on all architectures
_LANDLOCK_VERSION_FLAG, _LANDLOCK_PATH_BENEATH = 1, 1
_EXECUTE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 2, 1 << 3
_SIGKILL = 9  # importing `signal` would take longer than all walls together

_libc = ctypes.CDLL(None, use_errno=True)


class JailSettings:
    """The command line, read: `name=value` words, of which some may come many times."""

    def __init__(self, words: list[str]) -> None:
        self.uid: int | None = None
        self.parent: int | None = None
        self.memory_mb = 256
        self.cpu_s = 60
        self.processes = 1
        self.wire_in, self.wire_out = 0, 1
        self.seccomp = b""
        self.landlock = self.limits = True
        self.execute = False
        """Whether programs in the bot's folder may be executed."""
        self.read: list[str] = []
        """Paths that may be read, with everything below; `list`: folders that may be listed."""
        self.list: list[str] = []
        self.guest = ""
        self.packages = ""
        """Folders from which the guest imports its own packages, while it is loaded."""
        self.bot = ""
        """Its folder; empty for guests that open no file."""
        for word in words:
            name, _, value = word.partition("=")
            match name:
                case "read" | "list":
                    getattr(self, name).append(value)
                case "guest" | "packages" | "bot":
                    setattr(self, name, value)
                case "seccomp":
                    self.seccomp = bytes.fromhex(value)
                case "landlock" | "limits" | "execute":
                    setattr(self, name, value == "1")
                case _:
                    setattr(self, name, int(value))


def _check(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def _prctl(option: int, *arguments: int | ctypes.c_void_p) -> None:
    padded = [*arguments, 0, 0, 0, 0][:4]
    words = [a if isinstance(a, ctypes.c_void_p) else ctypes.c_ulong(a) for a in padded]
    _check(_libc.prctl(option, *words), f"prctl {option}")


def landlock_version() -> int:
    """The Landlock ABI of this kernel; 0 when it has none."""
    none, size = ctypes.c_void_p(None), ctypes.c_size_t(0)
    return max(0, int(_libc.syscall(_LANDLOCK_CREATE, none, size, _LANDLOCK_VERSION_FLAG)))


def _raise_landlock(paths: list[str], listed: list[str], executed: str) -> None:
    """Allow reading below `paths`, listing folders below `listed`, and executing programs below
    `executed`, one of the paths if not empty; deny everything else.

    Everything else means the actions that the Landlock of this kernel knows.
    """
    version = landlock_version()
    if version < 1:
        raise OSError("this kernel has no Landlock")
    rights = (1 << (13 + (version >= 2) + (version >= 3) + (version >= 5))) - 1
    network = 0b11 if version >= 4 else 0
    scopes = 0b11 if version >= 6 else 0  # abstract sockets and signals of others
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = ctypes.create_string_buffer(struct.pack("=QQQ", rights, network, scopes))
    ruleset = _check(
        _libc.syscall(_LANDLOCK_CREATE, rules, ctypes.c_size_t(size), 0), "landlock_create_ruleset"
    )
    for path in (*paths, *listed):
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        allowed = _READ_DIR if os.path.isdir(path) else _READ_FILE
        if path in paths:
            allowed |= _READ_FILE
        if path == executed:
            allowed |= _EXECUTE
        rule = ctypes.create_string_buffer(struct.pack("=Qi", allowed, fd))
        _check(
            _libc.syscall(_LANDLOCK_ADD, ruleset, _LANDLOCK_PATH_BENEATH, rule, 0),
            f"landlock_add_rule {path}",
        )
        os.close(fd)
    # Refusals are not logged by the kernel, because a bot could flood the log.
    quiet = 1 if version >= 7 else 0
    _check(_libc.syscall(_LANDLOCK_RESTRICT, ruleset, quiet), "landlock_restrict_self")
    os.close(ruleset)


def _set_limits(settings: JailSettings) -> None:
    limits = {
        resource.RLIMIT_AS: settings.memory_mb * _MIB,
        resource.RLIMIT_CPU: settings.cpu_s,
        resource.RLIMIT_NPROC: settings.processes,
        resource.RLIMIT_NOFILE: 32,
        resource.RLIMIT_STACK: 8 * _MIB,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    for kind, value in limits.items():
        resource.setrlimit(kind, (value, value))


def _raise_seccomp(program: bytes) -> None:
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    holder = ctypes.create_string_buffer(header, len(header))
    address = ctypes.c_void_p(ctypes.addressof(holder))
    _prctl(_SET_SECCOMP, _SECCOMP_FILTER, address)


def _take_wire(settings: JailSettings) -> None:
    """Make the wire stdin and stdout, and drop every other descriptor that was inherited."""
    os.dup2(settings.wire_in, 0)
    os.dup2(settings.wire_out, 1)
    os.closerange(3, 1 << 16)


def _die_with_parent(parent: int | None) -> None:
    # A change of user id clears this, so it is set after. In a process namespace of its own the
    # parent's id is not visible; there bubblewrap watches as well.
    _prctl(_SET_PDEATHSIG, _SIGKILL)
    if parent is not None and os.getppid() != parent:
        raise OSError("the worker died while the sandbox started")


def lock_down(settings: JailSettings) -> None:
    """Raise all walls; raises `OSError` when one of them cannot stand."""
    if settings.uid is not None:
        os.setgroups([])
        os.setresgid(settings.uid, settings.uid, settings.uid)
        os.setresuid(settings.uid, settings.uid, settings.uid)
    os.chdir(settings.bot or "/")
    _prctl(_SET_NO_NEW_PRIVS, 1)
    _prctl(_SET_DUMPABLE, 0)
    _die_with_parent(settings.parent)
    if settings.landlock:
        readable = settings.read + [settings.bot] * bool(settings.bot)
        _raise_landlock(readable, settings.list, settings.bot if settings.execute else "")
    if settings.limits:
        _set_limits(settings)
    if settings.seccomp:
        _raise_seccomp(settings.seccomp)


def main() -> None:
    settings = JailSettings(sys.argv[1:])
    _take_wire(settings)
    # The guest is loaded while its files can still be read.
    folder, file = os.path.split(settings.guest)
    search = sys.path[:]
    sys.path[:0] = [folder, settings.packages] if settings.packages else [folder]
    guest = __import__(file.removesuffix(".py"))
    sys.path[:] = search
    try:
        lock_down(settings)
    except (OSError, ValueError) as error:
        os.write(2, f"the sandbox could not be raised: {error}\n".encode())
        os._exit(FAILED)
    # The command line tells about the server, and bots do not need it.
    sys.argv[:] = sys.orig_argv[:] = ["bot.py"]
    os.environ.pop(LIBRARY_PATH, None)
    os.write(1, READY)
    guest.run(settings.bot)


if __name__ == "__main__":
    main()
