"""`BoardGame`: games with kernels, whose house bots are searchers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

from engines.alphabeta import kernels
from engines.alphabeta.contests import Opening, Searcher, draw_opening
from engines.alphabeta.history import History, Series, advance
from engines.alphabeta.kernels import MOST_MOVES
from engines.alphabeta.players import SearchPlayer
from engines.competition import HouseBots
from engines.game import CHANCE, Game

State = TypeVar("State")


class BoardGame(Game[State, int]):
    """The parts of `Game` that follow from kernels: moves, dice, house bots, random openings.

    It has two seats unless a game overrides them. A state is of a type with kernels, or a `History`
    of such states if repetition counts, or a `Series` if a match is several games.
    """

    seats = frozenset({2})
    opening_rule: Opening

    @property
    def searchers(self) -> Mapping[str, Searcher]:
        """The searchers of the house bots, weakest first."""
        return {}

    @cached_property
    def house_bots(self) -> HouseBots:
        return {name: partial(SearchPlayer, searcher) for name, searcher in self.searchers.items()}

    def board(self, state: State) -> Any:
        """The state for the kernels."""
        return state.board if isinstance(state, History | Series) else state

    def opening(self, seed: int, seats: int = 2) -> Sequence[int]:
        return draw_opening(self, seed, seats)

    def to_move(self, state: State) -> int:
        board = self.board(state)
        return CHANCE if kernels.chance(board) else int(board.seat)

    def legal(self, state: State) -> Sequence[int]:
        stack = kernels.new_stack(MOST_MOVES)
        return tuple(stack[: kernels.moves(self.board(state), stack, 0)].tolist())

    def chances(self, state: State) -> Sequence[float]:
        board = self.board(state)
        if not kernels.chance(board):
            return ()
        return tuple(kernels.likelihood(board, move) for move in self.legal(state))

    def play(self, state: State, move: int) -> State:
        if isinstance(state, History):
            return advance(state, move)  # type: ignore[return-value]
        return kernels.play(state, move)  # type: ignore[no-any-return]
