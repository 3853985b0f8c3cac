"""Turns per second of tank battles in the kernel, against the real Robocode if installed.

Run it with `taskset -c 0 python -m bench.tanks`. The two engines alternate on the same core, and
each virtual machine first warms up. Medians count: of wall time, and of CPU time, which other
processes disturb less. `--ours` omits the real engine.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from engines.games.tanks.battle import battle
from engines.games.tanks.java import export
from engines.games.tanks.program import architecture
from engines.programs.code import Code, flatten
from engines.programs.text import parse
from prove.robocode import JAR, PACKAGE, Fight, Robocode

PROGRAMS = ("Chaser", "Gambler")
MELEE = (
    "Corners",
    "Crazy",
    "Fire",
    "MyFirstRobot",
    "RamFire",
    "SpinBot",
    "TrackFire",
    "Tracker",
    "VelociRobot",
    "Walls",
)


class Case(NamedTuple):
    """A battle of house bots and programs by name, and the required speed ratio."""

    names: tuple[str, ...]
    limit: int
    width: int = 800
    height: int = 600


CASES = (
    Case(("SittingDuck", "SittingDuck"), 100),
    Case(("Crazy", "SpinBot"), 100),
    Case(("Walls", "Tracker"), 100),
    Case(("Chaser", "Chaser"), 60),
    Case(PROGRAMS, 60),
    Case(MELEE, 60, 1000, 1000),
)
OUR_ROUNDS, THEIR_ROUNDS = 100, 10
RUNS = 3
WARM_UPS = 3
"""Uncounted battles of the real engine, for its compiler."""


def load(name: str) -> Code:
    return flatten(parse(_text(name), architecture("tanks")))


def _text(name: str) -> str:
    return (Path(__file__).parent.parent / f"prove/{name.lower()}.lisp").read_text()


class Speed(NamedTuple):
    """Turns per second."""

    wall: float
    cpu: float


def ours(case: Case, seed: int) -> Speed:
    entrants = [load(name) if name in PROGRAMS else name for name in case.names]
    rounds = OUR_ROUNDS if len(entrants) == 2 else OUR_ROUNDS // 5
    start, start_cpu = time.perf_counter(), time.process_time()
    turns = sum(battle(entrants, seed, rounds, case.width, case.height).turns)
    wall, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    return Speed(turns / wall, turns / cpu)


def theirs(case: Case, seed: int, robocode: Robocode) -> list[Speed]:
    robots = tuple(f"{PACKAGE if name in PROGRAMS else 'sample'}.{name}" for name in case.names)
    fight = Fight(robots, THEIR_ROUNDS, seed, case.width, case.height)
    outcomes = robocode.fight([fight] * (WARM_UPS + 2), careful=False)
    return [Speed(o.turns / o.seconds, o.turns / o.cpu_seconds) for o in outcomes[WARM_UPS:]]


def compare(case: Case, robocode: Robocode | None) -> None:
    here: list[Speed] = []
    there: list[Speed] = []
    ours(case, 0)
    for seed in range(1, RUNS + 1):
        here += [ours(case, 10 * seed + number) for number in range(3)]
        if robocode is not None:
            there += theirs(case, seed, robocode)
    title = " vs ".join(case.names) if len(case.names) == 2 else f"melee of {len(case.names)}"
    print(f"{title} (to reach: {case.limit} times Robocode)")
    for clock in Speed._fields:
        fast = statistics.median(getattr(speed, clock) for speed in here)
        line = f"  {clock:4} {fast:>12,.0f} turns/s"
        if there:
            slow = statistics.median(getattr(speed, clock) for speed in there)
            line += f"   Robocode {slow:>8,.0f}   ratio {fast / slow:5.0f}"
        print(line, flush=True)


def main() -> None:
    start = time.perf_counter()
    battle(["Crazy", "SpinBot"], 0, 1)
    print(f"first call {time.perf_counter() - start:.2f} s")
    with tempfile.TemporaryDirectory(prefix="bench-tanks-") as scratch:
        robocode = None
        if JAR.exists() and "--ours" not in sys.argv:
            robocode = Robocode(Path(scratch))
            for name in PROGRAMS:
                source = export(parse(_text(name), architecture("tanks")), name, PACKAGE)
                robocode.enter(name, source)
        for case in CASES:
            compare(case, robocode)


if __name__ == "__main__":
    main()
