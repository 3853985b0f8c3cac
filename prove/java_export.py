"""Shows that a program has the same score in the real Robocode, as a HaikuBot, as here.

Each program fights shipped robots for 500 rounds in the real engine and, with many other seeds,
here; their spread is the noise. A program without random numbers and trigonometry also fights here
with the seed of the real battle, and must get exactly the same scores.

Run it with `python -m prove.java_export`; `--rounds 50` for a quick look.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
from pathlib import Path

from engines.games.tanks.battle import battle
from engines.games.tanks.java import MOST_SEMICOLONS, export
from engines.games.tanks.program import architecture
from engines.programs.code import Code, flatten
from engines.programs.primitives import Operation
from engines.programs.text import parse
from engines.programs.trees import Program
from prove.robocode import PACKAGE, Fight, FightResult, Robocode

OPPONENTS = ("Crazy", "Fire", "RamFire", "SpinBot", "TrackFire", "Tracker", "Walls")
REPEATS = 30
"""The number of battles here that measure the spread of a battle's score share."""

MOST_SIGMAS = 4.0
"""The limit of one comparison: a dozen of them exceed it in one of a thousand correct runs."""

SEED = 20_000


def main() -> int:
    flags = argparse.ArgumentParser(description="Programs here and in the real Robocode.")
    flags.add_argument("--rounds", type=int, default=500)
    rounds = flags.parse_args().rounds
    good = True
    with tempfile.TemporaryDirectory(prefix="java-export-") as scratch:
        robocode = Robocode(Path(scratch))
        for path in sorted(Path(__file__).parent.glob("*.lisp")):
            good &= prove(robocode, path, rounds)
    print("all agree" if good else "there are differences beyond the noise")
    return 0 if good else 1


def prove(robocode: Robocode, path: Path, rounds: int) -> bool:
    """Fight all opponents with the program in both engines; returns whether all shares agree."""
    program = parse(path.read_text(), architecture("tanks"))
    name = path.stem.title()
    source = export(program, name, PACKAGE)
    count = source.split("\n", 1)[1].count(";")
    print(f"{name}: {program.size} nodes, {count} semicolons, {rounds} rounds")
    robot = robocode.enter(name, source)
    fights = [
        Fight((robot, f"sample.{opponent}"), rounds, SEED + place)
        for place, opponent in enumerate(OPPONENTS)
    ]
    outcomes = robocode.fight(fights)
    code, exact = flatten(program), is_exact(program)
    print(f"  {'opponent':10} {'there':>7} {'here':>7} {'noise':>6} {'sigmas':>7}  same seed")
    good = count <= MOST_SEMICOLONS
    for place, opponent in enumerate(OPPONENTS):
        good &= compare(opponent, code, outcomes[place], fights[place], exact)
    return good


def compare(opponent: str, code: Code, there: FightResult, fight: Fight, exact: bool) -> bool:
    shares = [
        share(scores_here(code, opponent, fight.rounds, seed)) for seed in range(1, REPEATS + 1)
    ]
    mean, noise = statistics.mean(shares), statistics.stdev(shares)
    # The mean of the battles here varies, too.
    spread = math.hypot(noise, noise / math.sqrt(REPEATS))
    off = (share(there.scores) - mean) / spread if spread else 0.0
    same = there.scores == scores_here(code, opponent, fight.rounds, fight.seed)
    verdict = ("equal" if same else "DIFFERS") if exact else "-"
    figures = f"{share(there.scores):7.2%} {mean:7.2%} {noise:6.2%} {off:+7.2f}"
    print(f"  {opponent:10} {figures}  {verdict}", flush=True)
    return abs(off) <= MOST_SIGMAS and (same or not exact)


def scores_here(code: Code, opponent: str, rounds: int, seed: int) -> list[int]:
    return [column["score"] for column in battle([code, opponent], seed, rounds).columns]


def share(scores: list[int]) -> float:
    return scores[0] / sum(scores) if sum(scores) else 0.5


def is_exact(program: Program) -> bool:
    """Whether its arithmetic is equal to the last bit in Java and here."""
    inexact = {Operation.SIN, Operation.COS, Operation.ASIN, Operation.ACOS}
    nodes = [node.primitive for tree in program.trees for node in tree.walk()]
    return not any(node.operation in inexact or node.name == "Random" for node in nodes)


if __name__ == "__main__":
    sys.exit(main())
