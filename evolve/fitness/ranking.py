"""PageRank over sparse games, after Mukherjee, Parangi and Bailey's Chinese checkers.

Each loser links to its winners; an unbeaten player links to all others. The guides take part as
reference players. The paper penalises run time; here executed instructions count instead, so that a
run follows from its seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from evolve.errors import BadParameter
from evolve.fitness.measures import Fitness, seat_everybody
from evolve.fitness.population import Fixture, Population

STEPS, TOLERANCE = 10_000, 1e-12


def page_rank(losses: Any) -> Any:
    """The rank of each player, 1 in sum; `losses[a, b]` is how often a has lost to b.

    There is no teleportation. The walker stays in place half of the time: this has the same limit,
    but cannot oscillate.
    """
    count = len(losses)
    if count == 1:
        return np.ones(1)
    links = np.array(losses, float)
    unbeaten = links.sum(axis=1) == 0
    links[unbeaten] = 1.0
    links[unbeaten, np.flatnonzero(unbeaten)] = 0.0
    links /= links.sum(axis=1, keepdims=True)
    rank = np.full(count, 1 / count)
    for _ in range(STEPS):
        following = (rank + rank @ links) / 2
        if np.abs(following - rank).max() < TOLERANCE:
            break
        rank = following
    return rank


@dataclass(frozen=True)
class PageRank(Fitness):
    """Rank times the number of players (1 on average), less a penalty for long running."""

    games: int = 6
    """Least number of games of each individual against peers at a table of two."""
    guide_games: int = 1
    """Games of each individual against each guide."""
    penalty: float = 0.1
    """Penalty per mean number of instructions executed in a game."""

    def __post_init__(self) -> None:
        if self.games < 2 or self.guide_games < 0 or not 0 <= self.penalty < 1e6:
            raise BadParameter("PageRank needs games >= 2, guide_games >= 0, 0 <= penalty < 1e6")

    def measure(self, population: Population, so_far: Any) -> Any:
        fixtures: list[Fixture] = []
        seated: list[tuple[int, ...]] = []
        for game, tables in enumerate(seat_everybody(population, (self.games + 1) // 2)):
            fixtures += [
                Fixture(first, tuple(others), 1, (first, game)) for first, *others in tables
            ]
            seated += tables
        if self.guide_games:
            known = {
                guide.name: population.size + number
                for number, guide in enumerate(population.guides)
            }
            for number, guides in enumerate(population.guide_tables()):
                for place in range(population.size):
                    key = (place, len(fixtures), number)
                    fixtures.append(Fixture(place, guides, self.guide_games, key))
                    seated.append((place, *(known[guide.name] for guide in guides)))
        losses = np.zeros((population.size + len(population.guides),) * 2)
        for players, meeting in zip(seated, population.meet(fixtures), strict=True):
            for (a, one), (b, other) in permutations(zip(players, meeting.scores, strict=True), 2):
                if a != b:  # a guide may have several seats
                    losses[a, b] += sum(
                        1.0 if x < y else 0.5 if x == y else 0.0
                        for x, y in zip(one, other, strict=True)
                    )
        worth = page_rank(losses)[: population.size] * len(losses)
        used = population.costs.instructions / np.maximum(population.costs.played, 1)
        return worth - self.penalty * used / max(float(used.mean()), 1.0)
