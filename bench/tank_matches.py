"""Turns per second of tank battles, and the referee's cost of a match of tanks.

    python -m bench.tank_matches

House bots fight in the kernel; figures are medians of several runs. Uploaded robots are pinned to
one core with their referee, as in workers. CPU times stand next to wall times, which are unreliable
on a busy machine.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench.tanks import MELEE
from engines.games.tanks.battle import battle
from ladder.runner import play_job
from ladder.runner.selftest import choose_tier
from ladder.values import Entrant, Kind, MatchJob, MatchReport

CASES = (
    ("SittingDuck vs SittingDuck", ["SittingDuck"] * 2, 100, 800, 600),
    ("Crazy vs SpinBot", ["Crazy", "SpinBot"], 100, 800, 600),
    ("Walls vs Tracker", ["Walls", "Tracker"], 100, 800, 600),
    ("melee of ten", list(MELEE), 10, 1000, 1000),
)
RUNS = 9

ROBOT = b"""
from tanks import Robot, normal_relative_angle

class Dodger(Robot):
    def on_status(self, event):
        self.set_turn_gun_right(20)
        self.set_ahead(150 if self.time // 40 % 2 else -150)

    def on_scanned_robot(self, event):
        aim = normal_relative_angle(self.heading + event.bearing - self.gun_heading)
        self.set_turn_gun_right(aim)
        self.set_turn_right(event.bearing + 90)
        self.set_fire(0.1)

agent = Dodger.agent
"""
FUNCTION = b"""
def agent(observation, configuration):
    return [["set_turn_gun_right", 20], ["set_fire", 0.1]]
"""


def turns_per_second(names: list[str], rounds: int, width: int, height: int) -> list[float]:
    """One figure per run, each with another seed, without the first run, which may compile."""
    figures = []
    for seed in range(RUNS + 1):
        start = time.perf_counter()
        result = battle(names, seed, rounds, width, height)
        figures.append(sum(result.turns) / (time.perf_counter() - start))
    return figures[1:]


class Cost(NamedTuple):
    """Seconds of a match: wall time, CPU time of the referee, and CPU time of the bots."""

    wall: float
    referee: float
    bots: float


def played(job: MatchJob, data: Path, tier: str | None) -> tuple[MatchReport, Cost]:
    wall, cpu = time.perf_counter(), time.process_time()
    report = play_job(job, data, tier)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return report, Cost(wall, cpu, sum(seat.cpu_ms for seat in report.seats) / 1000)


def duel_of_house_bots(data: Path) -> None:
    seats = tuple(Entrant(name, Kind.HOUSE, "") for name in ("Crazy", "SpinBot"))
    costs = [played(MatchJob(1, 1, "tanks", seed, seats), data, None)[1] for seed in range(RUNS)]
    wall, referee, _ = map(statistics.median, zip(*costs, strict=True))
    print(f"ten-round duel of house bots, refereed   {wall:.3f} s, CPU {referee:.3f} s")


def duel_of_uploads(data: Path, title: str, code: bytes) -> None:
    """The cost of a thousand turns in which both robots give orders, including their start."""
    tier = choose_tier(data)
    seats = tuple(Entrant(name, Kind.PYTHON, "", code) for name in ("one", "two"))
    costs = []
    for seed in range(5):
        job = MatchJob(1, 1, "tanks", seed, seats, options={"rounds": 3})
        report, cost = played(job, data, tier)
        thousands = max(seat.moves for seat in report.seats) / 1000
        costs.append([seconds / thousands for seconds in cost])
    wall, referee, bots = map(statistics.median, zip(*costs, strict=True))
    print(
        f"1,000 turns of two {title:10} tier {tier}       {wall:.3f} s, "
        f"CPU of the referee {referee:.3f} s, of the bots {bots:.3f} s"
    )


def measure_matches() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        data.chmod(0o755)  # bots with other user ids must have access
        duel_of_house_bots(data)
        duel_of_uploads(data, "robots", ROBOT)
        duel_of_uploads(data, "functions", FUNCTION)


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
    measure_matches()


if __name__ == "__main__":
    main()
