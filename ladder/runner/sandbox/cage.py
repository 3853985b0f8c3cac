"""Starts a process behind the walls of a tier, and holds on to it until it is gone.

Tier A runs the jail under bubblewrap, in namespaces of its own and a file system that contains
only the interpreter and the bot. Tier B runs the jail as a plain child process: Landlock, seccomp
and resource limits do all the work. As root, either gives every bot a user id of its own.

A cage must be launched from a thread that outlives it (the main thread of a worker): the kernel
kills the sandbox when the thread that forked it ends.
"""

from __future__ import annotations

import contextlib
import math
import os
import platform
import shutil
import signal
import subprocess
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path, PurePosixPath

import msgspec

from ladder.errors import RunnerFailure
from ladder.runner.sandbox.runtime import Runtime
from ladder.runner.sandbox.seccomp import filter_program
from ladder.values import Limits

FIRST_SLOT_UID = 0x40000000
SLOTS_PER_WORKER = 64
"""Bots that one worker may run at a time."""
LAST_SLOT_UID = FIRST_SLOT_UID + SLOTS_PER_WORKER * 2**22 - 1
"""Linux has at most 2**22 process ids."""

_THREADS = 16
_KILL_WAIT_S = 10.0
_ENVIRONMENT = {
    # With address space limited, one arena per thread of 64 MiB each would leave nothing.
    "MALLOC_ARENA_MAX": "2",
    # The order of sets must not depend on chance, or matches could not be played again.
    "PYTHONHASHSEED": "0",
}
# Not -I: it would also ignore PYTHONHASHSEED, and the environment is ours anyway.
_PYTHON_FLAGS = ("-P", "-s", "-S", "-B")

_HERE = Path(__file__).parent
_JAIL_FOLDER, _BOT_FOLDER = "/jail", "/bot"
_JAIL_FILES = {
    "jail.py": _HERE / "jail.py",
    "botkit.py": _HERE.parent / "botkit.py",
    "codesize.py": _HERE.parent / "codesize.py",
}


class Tier(StrEnum):
    A = "A"
    """bubblewrap, Landlock, seccomp and resource limits."""
    B = "B"
    """Landlock, seccomp and resource limits, for machines that allow no namespaces."""


class Wall(StrEnum):
    LANDLOCK = "landlock"
    SECCOMP = "seccomp"
    LIMITS = "limits"
    """What the kernel lets a process use: memory, threads, descriptors, CPU time."""
    USER = "user id"
    """A user id of its own; there is one only where the server is root."""


class _BwrapInfo(msgspec.Struct):
    child_pid: int = msgspec.field(name="child-pid")


@dataclass(frozen=True)
class Sandbox:
    """A way to run bots that the self-test found sound."""

    tier: Tier
    runtime: Runtime
    disable_userns: bool = True
    """Whether bubblewrap can forbid nested user namespaces (tier A as an ordinary user)."""
    without: frozenset[Wall] = frozenset()
    """Walls left out. Only for tests that show what each of them is good for."""

    def launch(self, bot: Path, limits: Limits, seat: int, program: str = "botkit") -> Cage:
        """Start the jail with the bot unpacked in `bot`; raises `RunnerFailure`.

        `program` is what runs inside: the botkit, which runs the bot, or a module like it.
        """
        pipes = [os.pipe() for _ in range(4)]
        (wire_in, to_bot), (from_bot, wire_out), (errors, error_end), (info, info_end) = pipes
        try:
            process = subprocess.Popen(
                self._command(bot, limits, seat, program, wire_in, wire_out, info_end),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=error_end,
                # The wire is handed over under other numbers than 0 and 1, which bubblewrap's
                # monitor would hold open: a bot that closes its stdout is then seen at once.
                pass_fds=(wire_in, wire_out, info_end),
                cwd="/" if self.tier is Tier.A else bot,
                env=_ENVIRONMENT,
                start_new_session=True,
            )
        except (OSError, RunnerFailure) as error:
            _close(to_bot, from_bot, errors, info)
            raise RunnerFailure(f"the sandbox cannot be started: {error}") from error
        finally:
            _close(wire_in, wire_out, error_end, info_end)
        os.set_blocking(errors, False)
        try:
            head = _child_of_bwrap(info) if self.tier is Tier.A else process.pid
            head_pidfd = os.pidfd_open(head)
        except (ProcessLookupError, msgspec.DecodeError):
            process.kill()
            process.wait()
            complaint = _complaint(errors)
            _close(to_bot, from_bot, errors)
            raise RunnerFailure(f"the sandbox cannot be started: {complaint}") from None
        finally:
            _close(info)
        return Cage(process, head, head_pidfd, to_bot, from_bot, errors)

    def _command(
        self,
        bot: Path,
        limits: Limits,
        seat: int,
        program: str,
        wire_in: int,
        wire_out: int,
        info: int,
    ) -> list[str]:
        python = [self.runtime.python, *_PYTHON_FLAGS]
        wire = [f"wire_in={wire_in}", f"wire_out={wire_out}"]
        common = [*self._walls, *wire, *_limit_words(limits), *self._identity(seat)]
        if self.tier is Tier.A:
            mounts = ["--ro-bind", str(bot), _BOT_FOLDER, "--remount-ro", "/"]
            outside = [*self._bwrap, *mounts, "--chdir", _BOT_FOLDER, "--info-fd", str(info), "--"]
            places = [f"botkit={_JAIL_FOLDER}/{program}.py", f"bot={_BOT_FOLDER}"]
            script = f"{_JAIL_FOLDER}/jail.py"
            return [*outside, *python, script, *common, *places, f"read={_BOT_FOLDER}"]
        places = [f"botkit={_JAIL_FILES[f'{program}.py']}", f"bot={bot}", f"read={bot}"]
        return [*python, str(_JAIL_FILES["jail.py"]), *common, *places, f"parent={os.getpid()}"]

    def _identity(self, seat: int) -> list[str]:
        if os.getuid() == 0:
            uid = [f"uid={slot_uid(os.getpid(), seat)}"] if Wall.USER not in self.without else []
            return [*uid, f"processes={_THREADS}"]
        # An ordinary user's processes are counted together, unless in a namespace of their own;
        # without one a bot gets no threads, rather than some of the time.
        return [f"processes={_THREADS if self.tier is Tier.A else 1}"]

    @cached_property
    def _walls(self) -> list[str]:
        program = b"" if Wall.SECCOMP in self.without else filter_program(platform.machine())
        words = [f"seccomp={program.hex()}"]
        words += [
            f"{wall}={int(wall not in self.without)}" for wall in (Wall.LANDLOCK, Wall.LIMITS)
        ]
        return words + [f"read={path}" for path in self.runtime.readable]

    @cached_property
    def _bwrap(self) -> list[str]:
        """The part of bubblewrap's command line that all bots share."""
        bwrap = shutil.which("bwrap")
        if bwrap is None:
            raise RunnerFailure("bubblewrap is not installed")
        kinds = ("ipc", "pid", "net", "uts", "cgroup-try")
        words = [bwrap, *(f"--unshare-{kind}" for kind in kinds), "--cap-drop", "ALL"]
        if os.getuid() == 0:
            words += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        else:
            words += ["--unshare-user", "--uid", "65534", "--gid", "65534"]
            words += ["--disable-userns"] * self.disable_userns
        words += ["--clearenv", *_setenv_words()]
        # Not --as-pid-1: the kernel tells only a process of the same user that bubblewrap's monitor
        # has died. bubblewrap's own init is one, and the whole namespace dies with it; a bot with a
        # user id of its own would live on.
        words += ["--die-with-parent", "--new-session"]
        binds = {path: path for path in (self.runtime.python, *self.runtime.readable)}
        binds |= {f"{_JAIL_FOLDER}/{name}": str(path) for name, path in _JAIL_FILES.items()}
        # As root, bubblewrap makes parent folders that it is not told of with mode 0700.
        for folder in _parents([*binds, _BOT_FOLDER]):
            words += ["--dir", folder]
        for inside, outside in binds.items():
            words += ["--ro-bind", outside, inside]
        for folder in self.runtime.hidden:
            words += ["--tmpfs", folder, "--remount-ro", folder]
        return words


def slot_uid(worker_pid: int, seat: int) -> int:
    """The user id of a bot when the server is root: no two running bots of a machine share one."""
    if not 0 <= seat < SLOTS_PER_WORKER:
        raise RunnerFailure(f"a match has at most {SLOTS_PER_WORKER} seats")
    return FIRST_SLOT_UID + worker_pid * SLOTS_PER_WORKER + seat


def _limit_words(limits: Limits) -> list[str]:
    # The kernel's own CPU limit is the last resort; the referee's clocks are finer.
    cpu_s = math.ceil((limits.start_ms + limits.match_ms + limits.move_ms) / 1000) + 2
    return [f"memory_mb={limits.memory_mb}", f"cpu_s={cpu_s}"]


def _setenv_words() -> list[str]:
    pairs = (["--setenv", name, value] for name, value in _ENVIRONMENT.items())
    return [word for pair in pairs for word in pair]


def _parents(paths: list[str]) -> list[str]:
    """All folders above `paths`, outermost first."""
    folders = {str(parent): None for path in paths for parent in PurePosixPath(path).parents}
    return sorted(folder for folder in folders if folder != "/")


def _close(*fds: int) -> None:
    for fd in fds:
        os.close(fd)


def _child_of_bwrap(info: int) -> int:
    """The first process in the sandbox, which bubblewrap names once its namespaces exist."""
    told = b""
    while not told.rstrip().endswith(b"}") and (chunk := os.read(info, 4096)):
        told += chunk
    return msgspec.json.decode(told, type=_BwrapInfo).child_pid


def _complaint(errors: int) -> str:
    try:
        return os.read(errors, 4096).decode(errors="replace").strip() or "no reason given"
    except BlockingIOError:
        return "no reason given"


def _only_child(pid: int) -> int | None:
    """The child of a process that has one; None when it has none any more."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        # The process has ended, or this kernel was built without these files.
        children = [
            stat.parent.name for stat in Path("/proc").glob("[0-9]*/stat") if _parent(stat) == pid
        ]
    return int(children[0]) if children else None


def _parent(stat: Path) -> int | None:
    try:
        # The name in parentheses may itself contain anything.
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


@dataclass(frozen=True, slots=True)
class Exit:
    """How a process ended: an exit status, or the signal that killed it."""

    status: int = 0
    signal: int = 0

    @property
    def signal_name(self) -> str:
        try:
            return signal.Signals(self.signal).name
        except ValueError:
            return f"signal {self.signal}"


class Cage:
    """A running sandbox, seen from outside: its pipes, its clock and its life.

    Tier A has three processes: bubblewrap's monitor, its init, which is the first process of the
    namespace, and the bot. In tier B all three are one.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        head: int,
        head_pidfd: int,
        to_bot: int,
        from_bot: int,
        errors: int,
    ) -> None:
        self.to_bot = to_bot
        self.from_bot = from_bot
        self.errors = errors
        self.closed = False
        self._process = process
        self._head = head
        self._head_pidfd = head_pidfd
        self._look_at(head, head_pidfd)

    def _look_at(self, pid: int, pidfd: int) -> None:
        self.pid = pid
        self.pidfd = pidfd
        """Becomes readable when the bot's process has ended."""
        self.cpu_clock = (~pid << 3) | 2
        """For `time.clock_gettime_ns`: the CPU time of all threads of the bot."""

    def attach(self) -> None:
        """Find the bot itself, once its jail stands."""
        if self._head == self._process.pid:
            return
        # If it has ended already, its sandbox is about to.
        with contextlib.suppress(ProcessLookupError):
            if (pid := _only_child(self._head)) is not None:
                self._look_at(pid, os.pidfd_open(pid))
        # Monitor and init would wake up whenever the bot stops or goes on. Stopped they cost
        # nothing, and the kernel still ends them with us.
        self._signal_keepers(signal.SIGSTOP)

    def _signal_keepers(self, number: int) -> None:
        if self._head != self._process.pid:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._head_pidfd, number)
            self._process.send_signal(number)

    def kill(self) -> Exit:
        """End the bot, if it has not ended yet, and leave no process behind."""
        # The first process of the namespace takes all others with it. A killed monitor would
        # leave the others to be reaped by nobody for a while.
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._head_pidfd, signal.SIGKILL)
        return self.wait(_KILL_WAIT_S)

    def wait(self, timeout_s: float) -> Exit:
        """How the process ended; raises `RunnerFailure` when it does not end in time."""
        try:
            self._signal_keepers(signal.SIGCONT)  # they pass the status on
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise RunnerFailure(f"sandbox process {self.pid} does not end") from None
        if code < 0:
            return Exit(signal=-code)
        # bubblewrap reports a signal the way shells do.
        return Exit(signal=code - 128) if code > 128 else Exit(status=code)

    def close(self) -> None:
        """Kill the bot and give back all descriptors. May be called again."""
        if self.closed:
            return
        self.closed = True
        try:
            self.kill()
        finally:
            _close(*{self.pidfd, self._head_pidfd}, self.to_bot, self.from_bot, self.errors)
