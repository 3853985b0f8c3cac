"""Vectors of weights, after Kendall and Whitwell, "An Evolutionary Approach for the Tuning of a
Chess Evaluation Function Using Population Dynamics".

Two vectors play a pair of games, once on each side. The winner stays or moves a little; a mutant of
the winner replaces the loser. Steps are scaled by the standard deviation of each weight in the
population, so they shrink as the population converges.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from evolve.errors import BadParameter

Vectors = Any
"""float64, a row per individual and a column per weight."""

Match = Callable[[Any, Any], float]
"""The first one's points from a pair of games against the second: 0 to 2, half for a draw."""

STEPS = {2.0: (0.0, 2.0), 1.5: (0.2, 1.0), 1.0: (0.5, 0.5)}
"""Steps of the winner, and of its copy in the loser's place, by the winner's points."""


def create(
    random: np.random.Generator, count: int, low: float, high: float, weights: int
) -> Vectors:
    """A first population, uniform in a range."""
    if count < 2 or weights < 1 or not low < high:
        raise BadParameter("vectors need count >= 2, weights >= 1 and low < high")
    return random.uniform(low, high, (count, weights))


def mutate(random: np.random.Generator, vector: Any, spread: Any, step: float) -> Any:
    """w + U[-1/2, 1/2] · sigma(w) · step, for each weight."""
    return vector + random.uniform(-0.5, 0.5, len(vector)) * spread * step


def settle(
    random: np.random.Generator, first: Any, second: Any, points: float, spread: Any
) -> tuple[Any, Any]:
    """The successors of two vectors after their games, in which the first got `points`."""
    if points < 1.0:
        new_second, new_first = settle(random, second, first, 2.0 - points, spread)
        return new_first, new_second
    stays, moves = STEPS[points]
    copied = first if points > 1.0 else second
    return mutate(random, first, spread, stays), mutate(random, copied, spread, moves)


def advance(random: np.random.Generator, population: Vectors, match: Match) -> Vectors:
    """One generation: random pairs meet, each vector once; an odd one stays unchanged."""
    spread = population.std(axis=0)
    order = random.permutation(len(population))
    following = population.copy()
    for first, second in zip(order[::2], order[1::2], strict=False):
        points = match(population[first], population[second])
        following[first], following[second] = settle(
            random, population[first], population[second], points, spread
        )
    return following


def cross(random: np.random.Generator, first: Any, second: Any) -> tuple[Any, Any]:
    """Single-point crossover."""
    point = int(random.integers(1, len(first))) if len(first) > 1 else 0
    return (
        np.concatenate([first[:point], second[point:]]),
        np.concatenate([second[:point], first[point:]]),
    )
