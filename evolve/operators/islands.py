"""Islands: populations that evolve separately and sometimes exchange individuals.

After chapter 7: from generation `start` on, in generation n every island i with
i mod `stride` = n mod `stride` sends `migrants` to each of its `neighbours`, the next ones in a
ring. They are chosen by tournament, with repeats. They take the last places of the new generation
and are measured there like all others: fitness measured on another island does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engines.programs.trees import Program
from evolve.errors import BadParameter
from evolve.operators.selection import tournament


@dataclass(frozen=True, slots=True)
class Islands:
    count: int = 1
    start: int = 10
    stride: int = 10
    migrants: int = 4
    neighbours: int = 3
    tournament: int = 5

    def __post_init__(self) -> None:
        if not 1 <= self.count <= 1000:
            raise BadParameter(f"islands must be 1 to 1,000, not {self.count}")
        if self.start < 0 or self.stride < 1 or self.migrants < 0 or self.neighbours < 0:
            raise BadParameter("migration needs start >= 0 and stride >= 1")
        if self.tournament < 1:
            raise BadParameter(
                f"the tournament of migrants must be at least 1, not {self.tournament}"
            )

    def routes(self, generation: int) -> list[tuple[int, int]]:
        """The (source, target) pairs of migration after this generation."""
        if generation < self.start or self.count < 2:
            return []
        return [
            (island, (island + step) % self.count)
            for island in range(self.count)
            if island % self.stride == generation % self.stride
            for step in range(1, min(self.neighbours, self.count - 1) + 1)
        ]

    def migrate(
        self,
        streams: Callable[[int, int], np.random.Generator],
        generation: int,
        measured: Sequence[tuple[Sequence[Program], Sequence[float]]],
        bred: Sequence[list[Program]],
        elites: int,
    ) -> None:
        """Put migrants into the last places of the new populations, but never replace an elite.

        `measured` has the programs of each island and their fitness; each route has its stream.
        """
        taken = [0] * self.count
        for source, target in self.routes(generation):
            random = streams(source, target)
            programs, fitness = measured[source]
            for _ in range(self.migrants):
                place = len(bred[target]) - 1 - taken[target]
                if place < elites:
                    break
                bred[target][place] = programs[tournament(random, fitness, self.tournament)]
                taken[target] += 1
