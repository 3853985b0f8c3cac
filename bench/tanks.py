"""Turns per second of tank battles in the kernel, against the real Robocode where there is one.

Run it with `taskset -c 0 python -m bench.tanks`. The two engines take turns on the same core, each
virtual machine first warms up, and medians count. `--ours` leaves the real engine out.
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
    *("Corners", "Crazy", "Fire", "MyFirstRobot", "RamFire"),
    *("SpinBot", "TrackFire", "Tracker", "VelociRobot", "Walls"),
)


class Case(NamedTuple):
    """A battle of house bots and programs by name, and how much faster it is to be here."""

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
RUNS = 5
WARM_UPS = 3
"""Battles of the real engine before those that count: its compiler needs them."""


def load(name: str) -> Code:
    return flatten(parse(_text(name), architecture("tanks")))


def _text(name: str) -> str:
    return (Path(__file__).parent.parent / f"prove/{name.lower()}.lisp").read_text()


def ours(case: Case, seed: int) -> float:
    entrants = [load(name) if name in PROGRAMS else name for name in case.names]
    rounds = OUR_ROUNDS if len(entrants) == 2 else OUR_ROUNDS // 5
    start = time.perf_counter()
    result = battle(entrants, seed, rounds, case.width, case.height)
    return sum(result.turns) / (time.perf_counter() - start)


def theirs(case: Case, seed: int, robocode: Robocode) -> list[float]:
    robots = tuple(f"{PACKAGE if name in PROGRAMS else 'sample'}.{name}" for name in case.names)
    fight = Fight(robots, THEIR_ROUNDS, seed, case.width, case.height)
    outcomes = robocode.fight([fight] * (WARM_UPS + 2), careful=False)
    return [outcome.turns / outcome.seconds for outcome in outcomes[WARM_UPS:]]


def compare(case: Case, robocode: Robocode | None) -> None:
    here: list[float] = []
    there: list[float] = []
    ours(case, 0)
    for seed in range(1, RUNS + 1):
        here += [ours(case, 10 * seed + number) for number in range(3)]
        if robocode is not None:
            there += theirs(case, seed, robocode)
    title = " vs ".join(case.names) if len(case.names) == 2 else f"melee of {len(case.names)}"
    line = f"{title:28} {statistics.median(here):>12,.0f} turns/s"
    if there:
        slow = statistics.median(there)
        ratio = statistics.median(here) / slow
        line += f"  Robocode {slow:>8,.0f}  ratio {ratio:5.0f} (to reach: {case.limit})"
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
