"""The folder of one run of evolution: the input and output of its process.

orders.json    the settings of the run
guides/        the uploads that it is bred against
out/           written by `evolve`: log, checkpoints, report and champion
output.log     the output of the process
process        its machine, id and start time, to find it again after a crash
"""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ladder.evolution.breeding import RunJob
from ladder.values import Kind
from ladder.views import GenerationView

log = logging.getLogger(__name__)

TROUBLE_BYTES = 500
"""Bytes at the end of the output that are searched for the error of a failed process."""

READ_BYTES = 4 * 1024 * 1024
"""Longest piece of the log that is read at once."""


@dataclass(frozen=True, slots=True)
class GuideOrder:
    name: str
    kind: Kind
    sha256: str


@dataclass(frozen=True, slots=True)
class Orders:
    """The orders of a process."""

    domain: str
    seed: int
    settings: dict[str, Any]
    guides: list[GuideOrder]
    workers: int
    tier: str | None
    """The sandbox tier of uploaded code; None: it does not play."""
    data: str
    """The folder of the server, below which uploaded code is unpacked."""


class RunFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.out = path / "out"
        self.champion = self.out / "champion.lisp"
        self.report = self.out / "report.json"
        self.output = path / "output.log"
        self._orders = path / "orders.json"
        self._process = path / "process"
        self._read = 0
        self._seen = 0

    def prepare(self, job: RunJob, workers: int, tier: str | None, data: Path) -> None:
        """Stop a leftover process, and write the files for a new one."""
        self.stop_orphan()
        (self.path / "guides").mkdir(parents=True, exist_ok=True)
        guides = [GuideOrder(guide.name, guide.kind, guide.sha256) for guide in job.guides]
        for order, guide in zip(guides, job.guides, strict=True):
            if guide.code is not None:
                file = self.file(order)
                file.parent.mkdir(exist_ok=True)
                file.write_bytes(guide.code)
        orders = Orders(job.domain, job.seed, job.settings, guides, workers, tier, str(data))
        self._orders.write_bytes(msgspec.json.encode(orders))
        if self.out.exists() and not self.begun:
            shutil.rmtree(self.out)

    @property
    def begun(self) -> bool:
        """Whether a run can be resumed."""
        return (self.out / "run.json").exists()

    @property
    def complete(self) -> bool:
        return self.report.exists() and self.champion.exists()

    def orders(self) -> Orders:
        return msgspec.json.decode(self._orders.read_bytes(), type=Orders)

    def file(self, guide: GuideOrder) -> Path:
        """The file of a guide's upload. Names of bots and owners are safe as names of files."""
        return self.path / "guides" / f"{guide.name}.{'bot' if guide.kind.sandboxed else 'lisp'}"

    def new_generations(self) -> list[GenerationView]:
        """The generations logged since `taken` was last called."""
        try:
            with (self.out / "log.jsonl").open("rb") as file:
                file.seek(self._read)
                data = file.read(READ_BYTES)
        except FileNotFoundError:
            return []
        whole = data[: data.rfind(b"\n") + 1]  # the last line may not be written to its end
        self._seen = self._read + len(whole)
        found = []
        for line in whole.splitlines():
            try:
                found.append(msgspec.json.decode(line, type=GenerationView))
            except (msgspec.DecodeError, UnicodeError) as error:
                log.warning("%s: a line of the log cannot be read: %s", self.path, error)
        return found

    def taken(self) -> None:
        """The new generations have been recorded."""
        self._read = max(self._read, self._seen)

    def trouble(self, code: int | None) -> str:
        """The failure of the process: the last line of its output; the rest may name our files."""
        try:
            said = self.output.read_bytes()[-TROUBLE_BYTES:].decode("utf-8", "replace")
        except OSError:
            said = ""
        said = (said.strip().splitlines() or [""])[-1]
        how = f"killed by signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return f"it ended without a champion ({how}): {said}"

    def note_process(self, pid: int) -> None:
        with suppress(OSError):
            self._process.write_text(f"{socket.gethostname()} {pid} {_started(pid)}")

    def stop_orphan(self) -> None:
        """Kill a process that an earlier server started here and that outlived it."""
        try:
            host, pid, started = self._process.read_text().split()
        except (OSError, ValueError):
            return
        if host == socket.gethostname() and _started(int(pid)) == started:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(int(pid), signal.SIGKILL)
        self._process.unlink(missing_ok=True)


def _started(pid: int) -> str:
    """The start time of a process, which identifies it with its id. Empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""
