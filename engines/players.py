"""Players for any game. Each is made from a seed, for one match.

Seeds break ties and draw evaluations: same seed and same course of the game, same moves.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from engines.contests import PLAYER, Searcher, choose, prepare, scratch
from engines.jit import new_record


class Random:
    """Any legal move; needs no kernels."""

    def __init__(self, legal: Callable[[Any], Sequence[Any]], seed: int) -> None:
        self._legal = legal
        self._random = random.Random(seed)

    def choose(self, state: Any, seat: int) -> Any:
        return self._random.choice(self._legal(state))


class SearchPlayer:
    """A searcher at the board; for games with kernels."""

    _spare: ClassVar[list[Any]] = []
    """Records of players that are gone: to make one costs as much as to play with it."""

    def __init__(self, searcher: Searcher, seed: int) -> None:
        self._player = self._spare.pop() if self._spare else new_record(PLAYER)
        prepare(self._player, searcher, seed)

    def __del__(self) -> None:
        self._spare.append(self._player)

    def choose(self, state: Any, seat: int) -> int:
        return int(choose(state, self._player, scratch.memory))
