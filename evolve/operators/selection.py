"""Who becomes a parent. All work on fitness values alone, more is better, and return places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evolve.errors import BadParameter


def tournament(random: np.random.Generator, fitness: Sequence[float], size: int) -> int:
    """The fittest of `size` different individuals drawn at random; the first drawn of equals."""
    drawn = random.choice(len(fitness), min(size, len(fitness)), replace=False)
    return max(map(int, drawn), key=lambda place: fitness[place])


def proportionate(random: np.random.Generator, fitness: Sequence[float]) -> int:
    """Anybody, with a probability in proportion to fitness, which must not be negative."""
    values = np.asarray(fitness, float)
    if len(values) == 0 or values.min() < 0 or not np.isfinite(values).all():
        raise BadParameter("selection in proportion to fitness needs finite values from 0 on")
    total = np.cumsum(values)
    if total[-1] <= 0:
        return int(random.integers(len(values)))
    # The first place whose running total passes the draw: never one of no fitness.
    return int(np.searchsorted(total, random.random() * total[-1], side="right"))


def select(random: np.random.Generator, fitness: Sequence[float], size: int) -> int:
    """By tournament of that size; in proportion to fitness if that is 0."""
    return tournament(random, fitness, size) if size else proportionate(random, fitness)


def elites(fitness: Sequence[float], count: int) -> list[int]:
    """The fittest, best first; of equals the one that stands first."""
    return sorted(range(len(fitness)), key=lambda place: (-fitness[place], place))[:count]
