"""Selection of parents, by fitness values only; more is better. All functions return places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evolve.errors import BadParameter


def tournament(random: np.random.Generator, fitness: Sequence[float], size: int) -> int:
    """The fittest of `size` different individuals drawn at random; the first drawn of equals."""
    drawn = random.choice(len(fitness), min(size, len(fitness)), replace=False)
    return max(map(int, drawn), key=lambda place: fitness[place])


def proportionate(random: np.random.Generator, fitness: Sequence[float]) -> int:
    """An individual with probability proportional to fitness, which must not be negative."""
    values = np.asarray(fitness, float)
    if len(values) == 0 or values.min() < 0 or not np.isfinite(values).all():
        raise BadParameter("selection in proportion to fitness needs finite values of at least 0")
    total = np.cumsum(values)
    if total[-1] <= 0:
        return int(random.integers(len(values)))
    # The first place whose running total exceeds the draw: its fitness is never 0.
    return int(np.searchsorted(total, random.random() * total[-1], side="right"))


def select(random: np.random.Generator, fitness: Sequence[float], size: int) -> int:
    """Select by tournament of that size, or in proportion to fitness if it is 0."""
    return tournament(random, fitness, size) if size else proportionate(random, fitness)


def elites(fitness: Sequence[float], count: int) -> list[int]:
    """The fittest, best first; equally fit ones in their order."""
    return sorted(range(len(fitness)), key=lambda place: (-fitness[place], place))[:count]
