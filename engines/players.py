"""Players for any game with kernels. Each is made from a seed, for one match.

Seeds only break ties: same seed and same course of the game, same moves.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from engines import kernels
from engines.search import Search


class Random:
    """Any legal move; needs no kernels."""

    def __init__(self, legal: Callable[[Any], Sequence[Any]], seed: int) -> None:
        self._legal = legal
        self._random = random.Random(seed)

    def choose(self, state: Any, seat: int) -> Any:
        return self._random.choice(self._legal(state))


class AlphaBeta:
    """The best move by a search `depth` plies deep."""

    def __init__(self, depth: int, evaluation: int, seed: int) -> None:
        self._depth = depth
        self._search = Search(evaluation)
        self._stack = kernels.new_stack()
        self._random = random.Random(seed)

    def choose(self, state: Any, seat: int) -> int:
        moves = self._stack[: kernels.moves(state, self._stack, 0)].tolist()
        self._random.shuffle(moves)
        return self._search.find(state, moves, self._depth).move


class Greedy(AlphaBeta):
    """The move after which the position looks best."""

    def __init__(self, evaluation: int, seed: int) -> None:
        super().__init__(1, evaluation, seed)
