"""Static exchange: who wins material when both sides capture on one square, cheapest first."""

from __future__ import annotations

import numpy as np

from engines.compiling.bits import Bits, lowest
from engines.compiling.jit import jitable, outlined
from engines.games.chess.attacks import (
    NONE,
    ONE,
    diagonal,
    enemy_pawn_attacks,
    king_attacks,
    knight_attacks,
    pawn_attacks,
    straight,
)
from engines.games.chess.board import (
    BISHOP,
    KING,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    ChessState,
    kind_at,
    kings,
)

VALUES = np.array([20_000, 100, 320, 330, 500, 0, 0, 950], np.int64)
"""The worth of pieces by kind. The king's is more than that of all others together."""
CHEAPEST_FIRST = (PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING)


@jitable
def worth(kind: int) -> int:
    return VALUES[np.uint64(kind)]  # type: ignore[no-any-return]


@jitable
def _standing(state: ChessState, kind: int) -> Bits:
    """The pieces of one kind, of both sides."""
    if kind == PAWN:
        return state.pawns
    if kind == KNIGHT:
        return state.knights
    if kind == BISHOP:
        return state.diagonals & ~state.straights
    if kind == ROOK:
        return state.straights & ~state.diagonals
    if kind == QUEEN:
        return state.diagonals & state.straights
    return kings(state)


@jitable
def _attackers(state: ChessState, square: int, taken: Bits) -> Bits:
    """The pieces of both sides that attack a square."""
    bit = ONE << np.uint64(square)
    pawns = enemy_pawn_attacks(bit) & state.own | pawn_attacks(bit) & state.enemy
    return (
        pawns & state.pawns
        | knight_attacks(bit) & state.knights
        | king_attacks(bit) & kings(state)
        | straight(square, taken) & state.straights
        | diagonal(square, taken) & state.diagonals
    )


@outlined
def holds_exchange(state: ChessState, move: int) -> bool:
    """Whether the mover loses no material by a move and all captures on its target. Pins, and what
    a promotion adds, do not count."""
    source, target = move & 63, move >> 6 & 63
    here, there = ONE << np.uint64(source), ONE << np.uint64(target)
    taken = (state.own | state.enemy) & ~here | there
    kind = kind_at(state, source)
    # What the mover has won so far, then what the side to capture risks: it must win more back.
    if state.enemy & there != NONE:
        risk = worth(kind) - worth(kind_at(state, target))
    elif kind == PAWN and there == state.passant:
        taken ^= there >> np.uint64(8)
        risk = 0
    else:
        risk = worth(kind)
    if risk <= 0:
        return True
    attackers = _attackers(state, target, taken)
    mover_holds, enemy_moves = True, True
    while True:
        attackers &= taken
        mine = attackers & (state.enemy if enemy_moves else state.own)
        if mine == NONE:
            return mover_holds
        chosen = KING
        for cheap in CHEAPEST_FIRST:
            if mine & _standing(state, cheap) != NONE:
                chosen = cheap
                break
        if chosen == KING:
            # A king captures only if nothing attacks it there.
            others = attackers & ~mine
            return mover_holds if others != NONE else not mover_holds
        mover_holds = not mover_holds
        # `risk` is what this side wins by its capture; it now risks the piece that captures.
        risk = worth(chosen) - risk
        if risk < (1 if mover_holds else 0):
            return mover_holds
        enemy_moves = not enemy_moves
        first = mine & _standing(state, chosen)
        taken ^= ONE << np.uint64(lowest(first))
        if chosen in (PAWN, BISHOP, QUEEN):
            attackers |= diagonal(target, taken) & state.diagonals
        if chosen in (ROOK, QUEEN):
            attackers |= straight(target, taken) & state.straights
