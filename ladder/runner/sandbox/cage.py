"""A running sandbox, from its start to its end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ladder.errors import RunnerFailure
from ladder.runner.sandbox.lodgings import Lodging, furnish

_KILL_WAIT_S = 10.0


def _only_child(pid: int) -> int | None:
    """The only child of a process; None when it has ended."""
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
    """The end of a process: its exit status, or the signal that killed it."""

    status: int = 0
    signal: int = 0

    @property
    def signal_name(self) -> str:
        try:
            return signal.Signals(self.signal).name
        except ValueError:
            return f"signal {self.signal}"


@dataclass(frozen=True, slots=True)
class Pipes:
    """Our ends of the pipes to a sandbox."""

    to_bot: int
    from_bot: int
    errors: int


class Cage:
    """A running sandbox, seen from outside: its pipes, its clock and its processes.

    Tier A has three processes: bubblewrap's monitor, its init, which is the first process of the
    namespace, and the bot. In the other tiers all three are one.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        head: int,
        head_pidfd: int,
        pipes: Pipes,
        lodging: Lodging,
    ) -> None:
        self.to_bot = pipes.to_bot
        self.from_bot = pipes.from_bot
        self.errors = pipes.errors
        self.closed = False
        self._process = process
        self._head = head
        self._head_pidfd = head_pidfd
        self._lodging = lodging
        self._look_at(head, head_pidfd)

    def _look_at(self, pid: int, pidfd: int) -> None:
        self.pid = pid
        self.pidfd = pidfd
        """Becomes readable when the bot's process has ended."""
        self.cpu_clock = (~pid << 3) | 2
        """For `time.clock_gettime_ns`: the CPU time of all threads of the bot."""

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def furnish(self, files: Mapping[str, bytes], program: str = "") -> None:
        """Write the bot's files, before its guest is told to continue; raises `OSError`.

        `program` names the one that can be executed.
        """
        furnish(self._lodging.folder, files, program)

    def attach(self) -> None:
        """Find the bot itself, once its jail is ready."""
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
        """The end of the process; raises `RunnerFailure` when it does not end in time."""
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
            fds = {self.pidfd, self._head_pidfd, self.to_bot, self.from_bot, self.errors}
            for fd in fds:
                os.close(fd)
            self._lodging.remove()
