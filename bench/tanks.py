"""Turns per second of tank battles, house bots in the kernel, as medians of several runs.

Run it with `python -m bench.tanks`; pin it to one core (`taskset -c 0`) for the steadiest figures.
"""

from __future__ import annotations

import statistics
import time

from engines.games.tanks.battle import battle

MELEE = [
    *("Corners", "Crazy", "Fire", "MyFirstRobot", "RamFire"),
    *("SpinBot", "TrackFire", "Tracker", "VelociRobot", "Walls"),
]
CASES = (
    ("SittingDuck vs SittingDuck", ["SittingDuck"] * 2, 100, 800, 600),
    ("Crazy vs SpinBot", ["Crazy", "SpinBot"], 100, 800, 600),
    ("Walls vs Tracker", ["Walls", "Tracker"], 100, 800, 600),
    ("melee of ten", MELEE, 10, 1000, 1000),
)
RUNS = 9


def turns_per_second(names: list[str], rounds: int, width: int, height: int) -> list[float]:
    """One figure per run, each of another seed; the first run, which may compile, is left out."""
    figures = []
    for seed in range(RUNS + 1):
        start = time.perf_counter()
        result = battle(names, seed, rounds, width, height)
        figures.append(sum(result.turns) / (time.perf_counter() - start))
    return figures[1:]


def main() -> None:
    start = time.perf_counter()
    battle(["Crazy", "SpinBot"], 0, 1)
    print(f"first call {time.perf_counter() - start:.2f} s")
    for title, names, rounds, width, height in CASES:
        figures = turns_per_second(names, rounds, width, height)
        low, high = min(figures), max(figures)
        print(
            f"{title:28} {statistics.median(figures):>12,.0f} turns/s  ({low:,.0f} to {high:,.0f})"
        )


if __name__ == "__main__":
    main()
