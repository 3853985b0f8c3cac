"""Steps of cars per second in the racing kernel, and the time of a lap.

Run it with `taskset -c 0 python -m bench.racing`. CPU time counts, which other processes disturb
less; the best of a few runs is printed. The real RARS makes 1.9 to 2.5 million steps a second with
the same kinds of drivers.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from engines.games.racing import entry, tracks
from engines.games.racing.drivers import DRIVERS
from engines.games.racing.layout import DT
from engines.games.racing.line import ideal_line
from engines.games.racing.program import compile_text, new_seat_programs
from engines.games.racing.trial import new_worlds, time_trial

RUNS = 5
TRACK = "sepang"
SMALL = """
(program time-trial
  (tree speed (Add V (Add 0.1 (Sub (Mul 2.0 AH) (Mul V V)))))
  (tree steering (Sub (Add (Mul 0.3 AA) (Sub TL TR)) (Mul 0.5 (Div NV V)))))
"""
"""A program of a few nodes."""


def race(names: list[str], alone: bool, seed: int) -> int:
    """Race two laps; returns the steps of cars."""
    worlds = new_worlds(len(names), laps=2, alone=alone)
    worlds["cars"]["driver"][0, : len(names)] = [DRIVERS[name] for name in names]
    entry.begin(worlds, tracks.load(TRACK), seed)
    entry.drive_on(worlds, tracks.load(TRACK), ideal_line(TRACK), new_seat_programs([]), 1e9)
    return int(worlds["tick"][0]) * len(names)


def speed(steps: Callable[[int], int]) -> float:
    steps(0)
    best = 0.0
    for seed in range(1, RUNS + 1):
        start = time.process_time()
        count = steps(seed)
        best = max(best, count / (time.process_time() - start))
    return best


def main() -> None:
    twelve = [*DRIVERS, "Racer", "Planner", "Courier"]
    cases = ((["Rally"], True), (["Planner"], True), (twelve, False))
    for names, alone in cases:
        shown = names[0] if len(names) == 1 else f"a race of {len(names)}"
        found = speed(partial(race, names, alone))
        print(f"{shown}: {found / 1e6:.2f} million steps of cars a second", flush=True)
    code = compile_text(SMALL)
    laps: list[float] = []

    def lap(seed: int) -> int:
        (result,) = time_trial([code], TRACK, seed)
        laps.append(result.lap_times[0])
        return round(result.lap_times[0] / DT)

    found = speed(lap)
    mean = sum(laps) / len(laps)
    print(f"a small program: {found / 1e6:.2f} million, a lap of {mean:.0f} s in", end=" ")
    print(f"{1000 * mean / DT / found:.2f} ms")


if __name__ == "__main__":
    main()
