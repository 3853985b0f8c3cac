"""An evolved tank in the real Robocode: as a HaikuBot, against all shipped robots.

Run it with `python -m prove.tank_champion [FILE] [--rounds N]`; without a file, it uses the
champion of `docs/results.md`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from engines.games.tanks.battle import battle
from engines.games.tanks.java import export
from engines.games.tanks.program import architecture
from engines.games.tanks.roster import BOTS
from engines.programs.code import flatten
from engines.programs.text import parse
from prove.robocode import PACKAGE, Fight, Robocode

CHAMPION = Path(__file__).parent / "champions" / "tanks.lisp"
SEED = 40_000


def main() -> int:
    flags = argparse.ArgumentParser(description="An evolved tank in the real Robocode.")
    flags.add_argument("file", nargs="?", type=Path, default=CHAMPION)
    flags.add_argument("--rounds", type=int, default=100)
    chosen = flags.parse_args()
    program = parse(chosen.file.read_text(), architecture("tanks"))
    code = flatten(program)
    with tempfile.TemporaryDirectory(prefix="tank-champion-") as scratch:
        robocode = Robocode(Path(scratch))
        robot = robocode.enter("Champion", export(program, "Champion", PACKAGE))
        fights = [
            Fight((robot, f"sample.{bot}"), chosen.rounds, SEED + place)
            for place, bot in enumerate(BOTS)
        ]
        outcomes = robocode.fight(fights)
    print(f"{chosen.file}: {program.size} nodes, {chosen.rounds} rounds against each")
    print(f"  {'opponent':14} {'Robocode':>9} {'here':>7}")
    shares = []
    for place, (bot, outcome) in enumerate(zip(BOTS, outcomes, strict=True)):
        result = battle([code, bot], SEED + place, chosen.rounds)
        there, here = share(outcome.scores), share([one["score"] for one in result.columns])
        shares.append(there)
        print(f"  {bot:14} {there:9.1%} {here:7.1%}")
    beaten = sum(one > 0.5 for one in shares)
    mean = statistics.fmean(shares)
    print(f"mean share in Robocode {mean:.1%}, {beaten} of {len(shares)} beaten")
    return 0 if mean > 0.5 else 1


def share(scores: list[int]) -> float:
    return scores[0] / sum(scores) if sum(scores) else 0.5


if __name__ == "__main__":
    sys.exit(main())
