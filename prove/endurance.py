"""Plays many matches of uploaded bots in one worker, and shows that no resources leak.

    python -m prove.endurance [--matches 1000] [--tier A]

Half of the matches are between honest bots; in the others one crashes, floods, loops or hoards.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ladder.runner import close_reserves, play_job
from ladder.runner.selftest import choose_tier
from ladder.values import Entrant, Kind, Limits, MatchJob

HONEST = b"def agent(observation, configuration):\n    return observation['legal'][0]\n"
BOTS = (
    HONEST,
    b"def agent(observation, configuration):\n    1 / 0\n",
    HONEST,
    b"def agent(observation, configuration):\n    return 'x' * 10**6\n",
    HONEST,
    b"def agent(observation, configuration):\n    while True: pass\n",
    HONEST,
    b"def agent(observation, configuration):\n    return [bytes(1 << 20) for _ in range(10**6)]\n",
)
LIMITS = Limits(move_ms=100, match_ms=500, memory_mb=64, start_ms=1000)
MOST_KIB = 4096
"""The allowed growth of the worker: the allocator keeps some freed memory."""


@dataclass(frozen=True)
class ProcessUsage:
    """Resources that could leak."""

    memory_kib: int
    descriptors: int
    processes: int
    files: int
    threads: int


def look(data: Path) -> ProcessUsage:
    gc.collect()
    status = Path("/proc/self/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in status)
    own = os.getpid()
    return ProcessUsage(
        memory_kib=int(fields["VmRSS"].split()[0]),
        descriptors=len(os.listdir("/proc/self/fd")),
        processes=sum(parent_of(path) == own for path in Path("/proc").glob("[0-9]*/stat")),
        files=len(list(data.rglob("*"))),
        threads=int(fields["Threads"]),
    )


def parent_of(stat: Path) -> int:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def play_some(matches: int, data: Path, tier: str) -> None:
    for number in range(matches):
        codes = (BOTS[number % len(BOTS)], HONEST)
        seats = tuple(Entrant(str(n), Kind.PYTHON, "", code) for n, code in enumerate(codes))
        play_job(MatchJob(number, 1, "connect-four", number, seats, LIMITS), data, tier)


def piled_up(before: ProcessUsage, after: ProcessUsage) -> list[str]:
    """All resources that grew, as sentences."""
    more = [
        f"{name}: {getattr(before, name)} before, {getattr(after, name)} after"
        for name in ("descriptors", "processes", "files", "threads")
        if getattr(after, name) > getattr(before, name)
    ]
    if after.memory_kib - before.memory_kib > MOST_KIB:
        more.append(f"memory: {before.memory_kib} KiB before, {after.memory_kib} KiB after")
    return more


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--tier", choices=("A", "B"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        data.chmod(0o755)  # bots with other user ids must have access
        tier = choose_tier(data, options.tier)
        play_some(2 * len(BOTS), data, tier)  # until all one-time loading is done
        before, started = look(data), time.monotonic()
        print(f"tier {tier}: {before}")
        play_some(options.matches, data, tier)
        after = look(data)
        print(f"after {options.matches} matches in {time.monotonic() - started:.0f} s: {after}")
        close_reserves()
        if more := piled_up(before, after):
            raise SystemExit("; ".join(more))


if __name__ == "__main__":
    main()
