"""The state of a chess position, its keys, and the squares that one side attacks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engines.compiling.bits import Bits, lowest, mix
from engines.compiling.jit import jitable
from engines.games.chess.attacks import (
    NONE,
    diagonal,
    enemy_pawn_attacks,
    king_attacks,
    knight_attacks,
    pawn_attacks,
    slider_attacks,
    straight,
)

KING, PAWN, KNIGHT, BISHOP, ROOK, QUEEN = 0, 1, 2, 3, 4, 7
"""Kinds of pieces. The queen is a bishop and a rook: it stands on both boards of sliders."""
_RIGHTS, _PASSANT = 5, 6
"""Numbers without a piece hold the keys of castling rights and of en-passant squares."""

QUIET_LIMIT = 100
"""Plies without a capture or a pawn's move after which the game is drawn: fifty moves."""
ENDLESS = 1 << 40
"""`ChessState.left` without a limit of plies."""


class ChessState(NamedTuple):
    """A position seen by the side to move; kings are the pieces on no board of their own."""

    own: Bits
    enemy: Bits
    pawns: Bits
    knights: Bits
    diagonals: Bits
    """Bishops and queens."""
    straights: Bits
    """Rooks and queens."""
    rights: Bits
    """The rooks that may still castle."""
    passant: Bits
    """The square behind a pawn that may be captured en passant; empty if no capture is legal."""
    checkers: Bits
    """The enemy pieces that give check."""
    key: Bits
    """The key of everything above, kept up to date move by move."""
    quiet: int
    """Plies since the last capture or pawn's move."""
    left: int
    """Plies until the game ends in any case."""
    seat: int


@jitable
def kings(state: ChessState) -> Bits:
    """Both kings."""
    others = state.pawns | state.knights | state.diagonals | state.straights
    return (state.own | state.enemy) & ~others


@jitable
def kind_at(state: ChessState, square: int) -> int:
    """The kind of the piece on a square that is taken."""
    place = np.uint64(square)
    return np.int64(  # type: ignore[return-value]
        (state.pawns >> place & np.uint64(1))
        + np.uint64(KNIGHT) * (state.knights >> place & np.uint64(1))
        + np.uint64(BISHOP) * (state.diagonals >> place & np.uint64(1))
        + np.uint64(ROOK) * (state.straights >> place & np.uint64(1))
    )


@jitable
def near_danger(state: ChessState) -> Bits:
    """The squares that enemy pawns, knights and the king attack."""
    enemy = state.enemy
    return (
        enemy_pawn_attacks(state.pawns & enemy)
        | knight_attacks(state.knights & enemy)
        | king_attacks(kings(state) & enemy)
    )


@jitable
def far_danger(state: ChessState, taken: Bits) -> Bits:
    """The squares that enemy sliders attack."""
    enemy = state.enemy
    return slider_attacks(state.diagonals & enemy, state.straights & enemy, taken)


@jitable
def enemy_attackers(state: ChessState, king: Bits) -> Bits:
    """The enemy pieces, except the king, that attack the square of `king`."""
    square, taken = lowest(king), state.own | state.enemy
    return state.enemy & (
        straight(square, taken) & state.straights
        | diagonal(square, taken) & state.diagonals
        | knight_attacks(king) & state.knights
        | pawn_attacks(king) & state.pawns
    )


KEYS = np.array([mix(np.uint64(number)) for number in range(1, 8 * 64 + 1)], np.uint64)
"""Zobrist keys by kind and square, of own pieces; those of the enemy are flipped like the board.
So the key of a flipped board is the flipped key."""
BLACK_KEY = mix(np.uint64(1 << 32))
"""Tells positions from their mirror images, in which the other side moves."""


@jitable
def piece_key(kind: int, square: int) -> Bits:
    return KEYS[np.uint64(64 * kind + square)]  # type: ignore[no-any-return]


@jitable
def rook_key(square: int) -> Bits:
    """The key of a castling right."""
    return KEYS[np.uint64(64 * _RIGHTS + square)]  # type: ignore[no-any-return]


@jitable
def passant_key(passant: Bits) -> Bits:
    if passant == NONE:
        return NONE
    return KEYS[np.uint64(64 * _PASSANT + lowest(passant))]  # type: ignore[no-any-return]
