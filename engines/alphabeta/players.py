"""Players for any game. Each is made from a seed, for one match.

Seeds break ties and draw evaluations: the same seed and the same game give the same moves.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from engines.alphabeta.contests import PLAYER, Searcher, choose, prepare, scratch
from engines.alphabeta.history import History, Series
from engines.alphabeta.memory import recall
from engines.compiling.jit import new_record


class RandomPlayer:
    """Plays random legal moves; needs no kernels."""

    def __init__(self, legal: Callable[[Any], Sequence[Any]], seed: int) -> None:
        self._legal = legal
        self._random = random.Random(seed)

    def choose(self, state: Any, seat: int) -> Any:
        return self._random.choice(self._legal(state))


class SearchPlayer:
    """Plays as a searcher; for games with kernels."""

    _spare: ClassVar[list[Any]] = []
    """Records of former players, for reuse: creating one costs as much as playing with it."""

    def __init__(self, searcher: Searcher, seed: int) -> None:
        self._player = self._spare.pop() if self._spare else new_record(PLAYER)
        prepare(self._player, searcher, seed)

    def __del__(self) -> None:
        self._spare.append(self._player)

    def choose(self, state: Any, seat: int) -> int:
        memory = scratch.memory
        past: Sequence[int] = ()
        if isinstance(state, History):
            state, past = state.board, state.past
        elif isinstance(state, Series):
            state = state.board
        recall(memory, past)
        return int(choose(state, self._player, memory))
