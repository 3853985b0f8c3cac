"""Players for any game with kernels. Each is made from a seed, for one match.

Seeds break ties and draw evaluations: same seed and same course of the game, same moves.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from engines import kernels
from engines.search import Search, Switches


class Random:
    """Any legal move; needs no kernels."""

    def __init__(self, legal: Callable[[Any], Sequence[Any]], seed: int) -> None:
        self._legal = legal
        self._random = random.Random(seed)

    def choose(self, state: Any, seat: int) -> Any:
        return self._random.choice(self._legal(state))


Evaluation: TypeAlias = int | Callable[[random.Random], int]
"""Number of an evaluation, or a way to draw one for each move: that makes a player less sure of
what it wants, and less predictable."""


class AlphaBeta:
    """The best move by a search `depth` plies deep.

    `decided` is that of `Search.find`: `WIN` in games where all wins are alike.
    """

    def __init__(
        self,
        depth: int,
        evaluation: Evaluation,
        seed: int,
        switches: Switches = Switches.ALL,
        decided: int | None = None,
    ) -> None:
        self._depth = depth
        self._evaluation = evaluation
        self._search = Search(0, switches)
        self._decided = decided
        self._stack = kernels.new_stack()
        self._random = random.Random(seed)

    def choose(self, state: Any, seat: int) -> int:
        moves = self._stack[: kernels.moves(state, self._stack, 0)].tolist()
        if len(moves) == 1:
            return int(moves[0])
        drawn = self._evaluation
        self._search.evaluation = drawn if isinstance(drawn, int) else drawn(self._random)
        self._random.shuffle(moves)
        return self._search.find(state, moves, self._depth, decided=self._decided).move


class Greedy(AlphaBeta):
    """The move after which the position looks best, when all captures are made."""

    def __init__(self, evaluation: Evaluation, seed: int) -> None:
        super().__init__(1, evaluation, seed)


def either(*evaluations: int) -> Evaluation:
    """One of these evaluations for each move."""
    return lambda draw: draw.choice(evaluations)
