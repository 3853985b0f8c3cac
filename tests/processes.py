"""Processes of a server under test: their state, and waiting for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

Process = tuple[int, int]
"""A process id and its start time; no two processes have the same pair."""


def _stat(pid: int) -> tuple[int, int, str] | None:
    """Parent, start time and state of a process, or None when it is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return int(fields[1]), int(fields[19]), fields[0]


def descendants(pid: int) -> set[Process]:
    """All processes below this one."""
    pids = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    stats = {found: stat for found in pids if (stat := _stat(found)) is not None}
    below, grew = {pid}, True
    while grew:
        children = {child for child, stat in stats.items() if stat[0] in below}
        grew = not children <= below
        below |= children
    return {(child, stats[child][1]) for child in below - {pid} if child in stats}


def still_alive(processes: set[Process]) -> set[Process]:
    found = set()
    for pid, started in processes:
        stat = _stat(pid)
        if stat is not None and stat[1] == started and stat[2] != "Z":
            found.add((pid, started))
    return found


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def wait_until(condition: Callable[[], object], seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds} s"
        time.sleep(0.05)
