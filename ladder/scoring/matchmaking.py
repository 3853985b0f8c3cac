"""Chooses the next pairings, as pure functions of short lists that the store reads from its
indexes.

New versions come first; then mostly uncertain ratings, but also the longest waiting bots and the
leaders, so that every bot keeps playing. Opponents are close in skill and seldom met.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ladder.scoring.skill import BETA

PLACEMENT_MATCHES = 10
"""Matches that a new version plays first."""

LIST_LENGTH = 20
"""Most candidates of each kind: the cost is the same for any number of bots."""

MET_MATCHES = 200
"""Number of latest matches whose opponents are remembered."""


@dataclass(frozen=True, slots=True)
class Contender:
    version_id: int
    bot_id: int
    mu: float
    sigma: float
    matches: int


def division_order(divisions: Sequence[str], rng: random.Random) -> list[str]:
    """The order in which ladders are offered the next pairing: the first that needs one gets it.

    Every other time it is the widest, the first of `divisions`, on which all meet all; else the
    others in random order come first. With the widest only, small bots would seldom meet.
    """
    if len(divisions) < 2 or rng.random() < 0.5:
        return list(divisions)
    return [*rng.sample(divisions[1:], len(divisions) - 1), divisions[0]]


def choose_focus(
    uncertain: Sequence[Contender],
    idle: Sequence[Contender],
    leaders: Sequence[Contender],
    busy: Mapping[int, int],
    rng: random.Random,
) -> Contender | None:
    """The bot that a match is made for. `busy` counts the open matches of versions."""
    newcomers = [
        one for one in uncertain if one.matches + busy.get(one.version_id, 0) < PLACEMENT_MATCHES
    ]
    if newcomers:
        return min(newcomers, key=lambda one: (_planned(one, busy), rng.random()))
    draw = rng.random()
    rested = [one for one in idle if not busy.get(one.version_id)]
    if rested and draw < 0.5:
        return rested[0]
    if uncertain and draw < 0.9:
        weights = [one.sigma**2 / (1 + busy.get(one.version_id, 0)) for one in uncertain]
        return rng.choices(uncertain, weights)[0]
    return rng.choice(leaders[:3]) if leaders else None


def _planned(one: Contender, busy: Mapping[int, int]) -> int:
    return one.matches + busy.get(one.version_id, 0)


def choose_opponents(
    focus: Contender,
    candidates: Sequence[Contender],
    met: Mapping[int, int],
    count: int,
    rng: random.Random,
) -> list[Contender]:
    """`count` opponents, or fewer if there are not enough bots."""
    pool = {one.bot_id: one for one in candidates if one.bot_id != focus.bot_id}
    chosen: list[Contender] = []
    while pool and len(chosen) < count:
        others = list(pool.values())
        weights = [
            max(quality(focus, one), 1e-9) / (1 + met.get(one.version_id, 0)) for one in others
        ]
        chosen.append(pool.pop(rng.choices(others, weights)[0].bot_id))
    return chosen


def quality(one: Contender, other: Contender) -> float:
    """TrueSkill's match quality: how open, and so how informative, a match of two is."""
    spread = 2 * BETA**2 + one.sigma**2 + other.sigma**2
    return math.sqrt(2 * BETA**2 / spread) * math.exp(-((one.mu - other.mu) ** 2) / (2 * spread))
