"""States that are more than a position: those with a past, and matches of several games.

Kernels search only positions. A game in which repetition counts has `History` as its state type,
plays by `advance`, and writes `start` and `moves` into the text of a position, so that no history
is lost.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from engines.alphabeta import kernels


class History(NamedTuple):
    """A position with the moves since the last irreversible one."""

    board: Any
    """The position for kernels and searches."""
    start: Any
    """The position after the last irreversible move."""
    moves: tuple[int, ...] = ()
    """The moves from `start` to `board`."""
    past: tuple[int, ...] = ()
    """Keys of all positions from `start` on, except `board`."""

    @property
    def seat(self) -> int:
        return int(self.board.seat)


class Series(NamedTuple):
    """A match of several games: the one that is played, and the results of those before.

    Kernels and contests know single games.
    """

    board: Any
    """The game that is played, for kernels and searches."""
    points: tuple[int, ...]
    """The points of the seats from the games before."""
    finished: Any = None
    """The end of the game before, for pictures, until the next one begins."""

    @property
    def seat(self) -> int:
        return int(self.board.seat)


def begin(board: Any) -> History:
    """The history of a position without a known past."""
    return History(board, board)


def advance(history: History, move: int) -> History:
    """The history after a legal move."""
    after = kernels.play(history.board, move)
    if kernels.reach(after) == 0:
        return begin(after)
    past = (*history.past, int(kernels.key(history.board)))
    return History(after, history.start, (*history.moves, move), past)


def is_drawn(history: History) -> bool:
    """Whether the position has occurred for the third time."""
    return history.past.count(int(kernels.key(history.board))) >= 2
