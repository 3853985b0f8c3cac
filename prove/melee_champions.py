"""Tanks bred in melees of five, in melees of ten as on the ladder, with nine house bots each.

Run it as `python -m prove.melee_champions [RUN ...]` with folders of runs of `tanks-melee`. Without
folders it breeds three champions by the preset `quick` (about seven minutes of a core). The fittest
individual of each first generation fights the same battles in the champion's place. It exits with 1
if a champion scores less than that individual or than the median house bot.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engines.games.tanks.battle import battle
from engines.games.tanks.roster import BOTS
from engines.games.tanks.simulation import TANKS_MELEE
from engines.programs.code import Code, flatten
from engines.programs.trees import Program
from evolve import domains
from evolve.runs.inspection import champion_of
from evolve.runs.run import Run, resume, start

BATTLES, ROUNDS = 200, 10
SEEDS = (1, 2, 3)


def founder_of(run: Run) -> Program:
    """The fittest of the first generation."""
    return next(iter(run.evolution(1))).best.program


def fight(code: Code, number: int) -> tuple[float, dict[str, float]]:
    """Shares of the points in one battle, of the program and of the house bots by name."""
    seats = TANKS_MELEE.ladder_seats
    names = list(BOTS)
    chosen = np.random.default_rng(number).choice(len(names), seats - 1, replace=False)
    entrants: list[str | Code] = [names[place] for place in chosen]
    place = number % seats
    entrants.insert(place, code)
    result = battle(entrants, number, ROUNDS, TANKS_MELEE.width, TANKS_MELEE.height)
    points = np.array(result.rounds).sum(axis=0)
    shares = (points / points.sum()).tolist()
    own = shares.pop(place)
    return own, {names[one]: share for one, share in zip(chosen, shares, strict=True)}


def told(values: Sequence[float]) -> str:
    """A mean with its 95 % interval."""
    reach = 1.96 * statistics.stdev(values) / math.sqrt(len(values))
    return f"{statistics.fmean(values):6.1%} ± {reach:.1%}"


def compare(run: Run) -> bool:
    champion, founder = (flatten(one) for one in (champion_of(run), founder_of(run)))
    own = [fight(champion, number) for number in range(BATTLES)]
    before = [fight(founder, number)[0] for number in range(BATTLES)]
    gained = [after - earlier for (after, _), earlier in zip(own, before, strict=True)]
    means = {
        name: statistics.fmean(others[name] for _, others in own if name in others) for name in BOTS
    }
    typical = [share - statistics.median(others.values()) for share, others in own]
    best = max(means, key=means.__getitem__)
    behind = [share - others[best] for share, others in own if best in others]
    print(f"{run.plan.id}: {BATTLES} battles of {ROUNDS} rounds, {TANKS_MELEE.ladder_seats} tanks")
    print(f"  champion                     {told([share for share, _ in own])} of the points")
    print(f"  fittest founder              {told(before)}")
    print(f"  champion less founder        {told(gained)}")
    print(f"  champion less median bot     {told(typical)}")
    print(f"  champion less {best:14} {told(behind)}", flush=True)
    return statistics.fmean(gained) > 0 and statistics.fmean(typical) > 0


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="prove-melee-") as scratch:
        runs = [resume(Path(folder)) for folder in sys.argv[1:]]
        for seed in SEEDS if not runs else ():
            run = start(domains.make("tanks-melee", "quick"), Path(scratch) / str(seed), seed)
            run.go(workers=2)
            runs.append(run)
        good = [compare(run) for run in runs]
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
