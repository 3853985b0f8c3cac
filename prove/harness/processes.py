"""The processes of a ladder: started as by a user, killed, and searched for leftovers."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.processes import Process, command, descendants, still_alive, wait_until

__all__ = ["LadderProcess", "wait_until"]

STOP_SECONDS = 180


class LadderProcess:
    """A `ladder` command that can be killed and started again."""

    def __init__(
        self,
        folder: Path,
        name: str,
        *arguments: str,
        variables: Mapping[str, str] | None = None,
        before: Sequence[str] = (),
    ) -> None:
        """`before` is a prefix of the command line, such as `ip netns exec NAME`."""
        self.name = name
        self.log = folder / f"{name}.log"
        self.starts = 0
        self._command = [*before, sys.executable, "-m", "ladder.cli", *arguments]
        scratch = folder / "tmp"
        scratch.mkdir(exist_ok=True)
        self._variables = {**os.environ, "TMPDIR": str(scratch), **(variables or {})}
        self._family: set[Process] = set()
        self.start()

    def start(self) -> None:
        self.starts += 1
        with self.log.open("ab") as log:
            self._said = log.tell()
            self.process = subprocess.Popen(
                self._command,
                env=self._variables,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )

    @property
    def runs(self) -> bool:
        return self.process.poll() is None

    def says(self, words: str) -> bool:
        """Whether it has printed this since its start."""
        return self.count(words) > 0

    def count(self, words: str) -> int:
        """The number of times it has printed this since its start."""
        return self.log.read_bytes()[self._said :].decode(errors="replace").count(words)

    def await_words(self, words: str, seconds: float = 180) -> None:
        wait_until(lambda: self.says(words) or not self.runs, seconds, f"{self.name}: {words}")
        assert self.runs, self.log.read_text()

    def workers(self) -> list[int]:
        """Its child processes that play matches."""
        below = [pid for pid, _ in descendants(self.process.pid)]
        return [pid for pid in below if "multiprocessing.spawn" in command(pid)]

    def kill(self) -> None:
        """Kill it with -9; all its children must end, too."""
        self._look()
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """Stop it with SIGTERM; returns its exit status."""
        self._look()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)

    def left_over(self) -> set[Process]:
        """Processes that outlive it for more than some seconds."""
        with contextlib.suppress(AssertionError):
            wait_until(lambda: not still_alive(self._family), 10, "the end of all processes")
        return still_alive(self._family)

    def _look(self) -> None:
        self._family |= descendants(self.process.pid)
