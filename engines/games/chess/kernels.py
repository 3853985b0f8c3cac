"""The kernels of chess for the search: the rules, the order of moves, captures and keys."""

from __future__ import annotations

import numpy as np

from engines.alphabeta import kernels
from engines.alphabeta.kernels import FORCED, OPTIONAL, Moves
from engines.compiling.bits import Bits
from engines.compiling.jit import jitable, outlined
from engines.games.chess import evaluation, rules
from engines.games.chess.attacks import NONE, ONE
from engines.games.chess.board import BLACK_KEY, PAWN, QUEEN, QUIET_LIMIT, ChessState, kind_at
from engines.games.chess.evaluation import material
from engines.games.chess.exchange import holds_exchange
from engines.games.chess.moves import count_moves, write_captures, write_moves

RANKS = np.array([6, 1, 2, 2, 3, 0, 0, 5], np.int64)
"""Kinds of pieces in the order of their worth."""


@jitable
def _goes_on(state: ChessState) -> bool:
    """Whether no law but the lack of moves ends the game."""
    return not (state.quiet >= QUIET_LIMIT or state.left <= 0 or rules.is_dead(state))


@kernels.moves.register(ChessState)
def _moves(state: ChessState, stack: Moves, start: int) -> int:
    if not _goes_on(state):
        return start
    return write_moves(state, stack, start)


@kernels.mobility.register(ChessState)
def _mobility(state: ChessState) -> int:
    return count_moves(state) if _goes_on(state) else 0


@kernels.play.register(ChessState)
def _play(state: ChessState, move: int) -> ChessState:
    return _played(state, move)


@outlined
def _played(state: ChessState, move: int) -> ChessState:
    return rules.play(state, move)


@kernels.over.register(ChessState)
def _over(state: ChessState) -> bool:
    return rules.is_over(state)


@kernels.result.register(ChessState)
def _result(state: ChessState) -> int:
    return -1 if rules.is_mate(state) else 0


@kernels.score.register(ChessState)
def _score(state: ChessState, seat: int) -> float:
    """A win counts 1. At the limit of plies, the side with more material has 3/4."""
    if rules.is_mate(state):
        return 0.0 if seat == state.seat else 1.0
    if state.left > 0 or count_moves(state) == 0:
        return 0.5
    ahead = material(state) if seat == state.seat else -material(state)
    return 0.75 if ahead > 0 else 0.25 if ahead < 0 else 0.5


@kernels.evaluate.register(ChessState)
def _evaluate(state: ChessState, number: int) -> int:
    return evaluation.evaluate(state, number)


@kernels.key.register(ChessState)
def _key(state: ChessState) -> Bits:
    return state.key ^ BLACK_KEY if state.seat == 1 else state.key


@kernels.noisy.register(ChessState)
def _noisy(state: ChessState) -> int:
    return OPTIONAL if state.checkers == NONE else FORCED


@kernels.captures.register(ChessState)
def _captures(state: ChessState, stack: Moves, start: int) -> int:
    """Captures that lose no material by the exchange, and promotions to a queen."""
    end = kept = start
    end = write_captures(state, stack, start)
    for index in range(start, end):
        move = stack[index]
        if move >> 12 == QUEEN or (move >> 12 == 0 and holds_exchange(state, move)):
            stack[kept] = move
            kept += 1
    return kept


@kernels.gain.register(ChessState)
def _gain(state: ChessState, move: int) -> int:
    """Captures by what they take, then by what takes it; losing ones come after quiet moves."""
    source, target, promoted = move & 63, move >> 6 & 63, move >> 12
    there = ONE << np.uint64(target)
    if state.enemy & there == NONE:
        if promoted != 0:
            return 50 if promoted == QUEEN else -50
        return 9 if there == state.passant and kind_at(state, source) == PAWN else 0
    mine = RANKS[np.uint64(kind_at(state, source))]
    taken = RANKS[np.uint64(kind_at(state, target))]
    if promoted != 0 and promoted != QUEEN:
        return -50
    if taken >= mine or holds_exchange(state, move):
        return int(8 * taken - mine + 8)
    return int(taken - mine - 8)


@kernels.extends.register(ChessState)
def _extends(state: ChessState) -> bool:
    return bool(state.checkers != NONE)


@kernels.reach.register(ChessState)
def _reach(state: ChessState) -> int:
    return state.quiet


@kernels.may_pass.register(ChessState)
def _may_pass(state: ChessState) -> bool:
    """Not in check, and not with pawns alone, when having to move is often bad."""
    pieces = state.knights | state.diagonals | state.straights
    return bool(state.checkers == NONE and state.own & pieces != NONE)


@kernels.pass_turn.register(ChessState)
def _pass_turn(state: ChessState) -> ChessState:
    return rules.pass_turn(state)


@kernels.waits.register(ChessState)
def _waits(state: ChessState, move: int, after: ChessState) -> bool:
    """Quiet moves that neither answer nor give check."""
    if state.checkers | after.checkers != NONE or move >> 12 != 0:
        return False
    return bool(state.enemy >> np.uint64(move >> 6 & 63) & ONE == NONE)
