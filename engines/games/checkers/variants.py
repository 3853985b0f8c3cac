"""The three games of the family: their rules and evaluations bound to their state types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engines.alphabeta import kernels
from engines.alphabeta.kernels import Moves
from engines.compiling.bits import Bits
from engines.compiling.jit import jitable
from engines.games.checkers import evaluation as worth
from engines.games.checkers import rules
from engines.games.checkers.board import EIGHT, TEN, Board
from engines.games.checkers.evaluation import EXPERT, MAN, MATERIAL_HIGH, MATERIAL_LOW
from engines.games.checkers.rules import (
    NONE,
    QUIET_LIMIT,
    Checkers10State,
    CheckersState,
    LoseCheckersState,
    State,
)


@dataclass(frozen=True)
class Variant:
    """A board, the type of its states, and the aim: `losing` means that a stuck side wins."""

    board: Board
    state: Any
    losing: bool


VARIANTS = CHECKERS, LOSE_CHECKERS, CHECKERS_10X10 = (
    Variant(EIGHT, CheckersState, False),
    Variant(EIGHT, LoseCheckersState, True),
    Variant(TEN, Checkers10State, False),
)


def _bind_rules(variant: Variant) -> None:
    """Register the kernels for moves; values from here become constants in them."""
    board = variant.board
    near, far, squares = board.near, board.far, board.all
    first_crown, second_crown = board.row(board.size - 1), board.row(0)
    make = variant.state

    @jitable
    def crown_of(state: State) -> Bits:
        return first_crown if state.seat == 0 else second_crown

    @kernels.moves.register(make)
    def moves(state: State, stack: Moves, start: int) -> int:
        if state.quiet >= QUIET_LIMIT:
            return start
        empty = squares & ~(state.mover | state.other)
        left = rules.jumpers(state, empty, near, far)
        if left == NONE:
            return rules.write_steps(state, empty, near, far, stack, start)
        return rules.write_jumps(state, left, empty, crown_of(state), near, far, stack, start)

    @kernels.mobility.register(make)
    def mobility(state: State) -> int:
        if state.quiet >= QUIET_LIMIT:
            return 0
        empty = squares & ~(state.mover | state.other)
        left = rules.jumpers(state, empty, near, far)
        if left == NONE:
            return rules.steps(state, empty, near, far)
        return rules.count_jumps(state, left, empty, crown_of(state), near, far)

    @kernels.play.register(make)
    def play(state: State, move: int) -> State:
        mover, other, kings, seat, quiet = rules.after(state, move, crown_of(state), near, far)
        return make(mover, other, kings, seat, quiet)  # type: ignore[no-any-return]

    @kernels.noisy.register(make)
    def noisy(state: State) -> bool:
        empty = squares & ~(state.mover | state.other)
        return bool(rules.jumpers(state, empty, near, far) != NONE)


def _bind_ends(variant: Variant) -> None:
    """Register the kernels for the end of a game."""
    board = variant.board
    near, far, squares = board.near, board.far, board.all
    stuck_result = 1 if variant.losing else -1

    @kernels.over.register(variant.state)
    def over(state: State) -> bool:
        empty = squares & ~(state.mover | state.other)
        return state.quiet >= QUIET_LIMIT or rules.is_stuck(state, empty, near, far)

    @kernels.result.register(variant.state)
    def result(state: State) -> int:
        empty = squares & ~(state.mover | state.other)
        return stuck_result if rules.is_stuck(state, empty, near, far) else 0

    @kernels.key.register(variant.state)
    def key(state: State) -> Bits:
        return rules.position_key(state)

    @kernels.gain.register(variant.state)
    def gain(state: State, move: int) -> int:
        return rules.jumps_of(move)


def _bind_evaluation(variant: Variant) -> None:
    first, second = worth.places(variant.board, 0), worth.places(variant.board, 1)
    first_home, second_home, centre = first.home, second.home, first.centre
    ones, twos, fours, eights = first.rows
    back_ones, back_twos, back_fours, back_eights = second.rows
    sign = -1 if variant.losing else 1

    @jitable
    def expert(state: State) -> int:
        """Value of the first mover's pieces less the second's, from the mover's view."""
        black = state.mover if state.seat == 0 else state.other
        white = state.other if state.seat == 0 else state.mover
        men = black & ~state.kings
        far = worth.advance(men, ones, twos, fours, eights)
        value = worth.side_worth(men, black & state.kings, far, first_home, centre)
        men = white & ~state.kings
        far = worth.advance(men, back_ones, back_twos, back_fours, back_eights)
        value -= worth.side_worth(men, white & state.kings, far, second_home, centre)
        return worth.balance(state, value if state.seat == 0 else -value)

    @kernels.evaluate.register(variant.state)
    def evaluate(state: State, evaluation: int) -> int:
        if evaluation == MATERIAL_LOW:
            return sign * worth.material(state, MAN + MAN // 2)
        if evaluation == MATERIAL_HIGH:
            return sign * worth.material(state, 2 * MAN)
        if evaluation == EXPERT:
            return sign * expert(state)
        return worth.noise(state, evaluation)


for _variant in VARIANTS:
    _bind_rules(_variant)
    _bind_ends(_variant)
    _bind_evaluation(_variant)
