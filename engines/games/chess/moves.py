"""Legal moves: pins and checks are known before a move is written, so no move is tried out.

A move is its source square, its target square times 64, and the kind of a promoted piece times
4,096. Castling is the king's move of two squares.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.compiling.bits import Bits, lowest, popcount
from engines.compiling.jit import jitable, outlined
from engines.games.chess.attacks import (
    ACROSS,
    FALLING,
    LINES,
    NONE,
    NOT_A,
    NOT_H,
    ONE,
    RANK_3,
    RANK_8,
    RISING,
    ROYAL,
    S7,
    S8,
    S9,
    UP,
    along,
    diagonal,
    enemy_pawn_attacks,
    king_attacks,
    knight_attacks,
    straight,
)
from engines.games.chess.board import (
    BISHOP,
    KNIGHT,
    QUEEN,
    ROOK,
    ChessState,
    far_danger,
    kings,
    near_danger,
)

HOME = 4
"""The square of a king that may castle."""
LONG_TARGET, SHORT_TARGET = np.uint64(0x04), np.uint64(0x40)
LONG_ROOK, SHORT_ROOK = np.uint64(0x01), np.uint64(0x80)
LONG_EMPTY, SHORT_EMPTY = np.uint64(0x0E), np.uint64(0x60)
"""Squares between king and rook."""
LONG_SAFE, SHORT_SAFE = np.uint64(0x0C), np.uint64(0x60)
"""Squares that the king crosses and reaches."""


@jitable
def _emit(stack: Any, end: int, square: int, targets: Bits) -> int:
    """Write the moves of a piece, or only count them without a stack."""
    if stack is None:
        return end + popcount(targets)
    while targets != NONE:
        stack[end] = square | lowest(targets) << 6
        targets &= targets - ONE
        end += 1
    return end


@jitable
def _emit_pawns(stack: Any, end: int, targets: Bits, distance: int) -> int:
    """The same for pawns that come from `distance` squares below their targets."""
    last = targets & RANK_8
    if stack is None:
        return end + popcount(targets) + 3 * popcount(last)
    others = targets ^ last
    while others != NONE:
        target = lowest(others)
        stack[end] = target - distance | target << 6
        others &= others - ONE
        end += 1
    while last != NONE:
        target = lowest(last)
        for kind in (QUEEN, KNIGHT, ROOK, BISHOP):
            stack[end] = target - distance | target << 6 | kind << 12
            end += 1
        last &= last - ONE
    return end


@jitable
def _pinned(state: ChessState, king: int, line: int, sliders: Bits) -> Bits:
    """Own pieces that shield the king from an enemy slider on one line."""
    place = np.uint64(8 * king + 2 * line)
    below, above = LINES[place], LINES[place + ONE]
    if (below | above) & sliders == NONE:
        return NONE
    taken = state.own | state.enemy
    seen = along(king, line, taken)
    shields = seen & state.own
    behind = along(king, line, taken ^ shields) & sliders & ~seen
    found = NONE
    if behind & below != NONE:
        found |= shields & below
    if behind & above != NONE:
        found |= shields & above
    return found


@jitable
def _answers(state: ChessState, king: int) -> Bits:
    """The squares that end the single check: the checker's, and those between it and the king."""
    checker, taken = state.checkers, state.own | state.enemy
    if checker & (state.pawns | state.knights) != NONE:
        return checker
    square = lowest(checker)
    lines = straight(king, taken)
    if lines & checker != NONE:
        return checker | lines & straight(square, taken)
    return checker | diagonal(king, taken) & diagonal(square, taken)


@jitable
def is_safe_passant(state: ChessState, king: int, source: Bits, passant: Bits) -> bool:
    """Whether capturing en passant leaves the king safe; it empties two squares of a line."""
    victim = passant >> S8
    taken = (state.own | state.enemy) ^ source ^ victim | passant
    sliders = straight(king, taken) & state.straights | diagonal(king, taken) & state.diagonals
    others = state.checkers & (state.knights | state.pawns) & ~victim
    return bool((sliders & state.enemy | others) == NONE)


@jitable
def _king_moves(state: ChessState, stack: Any, end: int, king: Bits, tactical: bool) -> int:
    own, taken = state.own, state.own | state.enemy
    steps = king_attacks(king) & (state.enemy if tactical else ~own) & ~near_danger(state)
    castles = NONE if tactical or state.checkers != NONE else state.rights & own
    if steps | castles == NONE:
        return end
    danger = far_danger(state, taken ^ king)
    end = _emit(stack, end, lowest(king), steps & ~danger)
    if castles != NONE:
        danger |= near_danger(state)
        if castles & SHORT_ROOK and not (taken & SHORT_EMPTY | danger & SHORT_SAFE):
            end = _emit(stack, end, HOME, SHORT_TARGET)
        if castles & LONG_ROOK and not (taken & LONG_EMPTY | danger & LONG_SAFE):
            end = _emit(stack, end, HOME, LONG_TARGET)
    return end


@jitable
def _pawn_moves(
    state: ChessState,
    stack: Any,
    end: int,
    wanted: Bits,
    tactical: bool,
    sideways: Bits,
    rising: Bits,
    falling: Bits,
    upright: Bits,
) -> int:
    """Moves of pawns, of which those on the last four boards are pinned, to `wanted` squares."""
    taken = state.own | state.enemy
    pawns = state.own & state.pawns & ~sideways
    ahead = (pawns & ~(rising | falling)) << S8 & ~taken
    if tactical:
        end = _emit_pawns(stack, end, ahead & wanted & RANK_8, 8)
    else:
        end = _emit_pawns(stack, end, ahead & wanted, 8)
        end = _emit_pawns(stack, end, (ahead & RANK_3) << S8 & ~taken & wanted, 16)
    right = (pawns & NOT_H & ~(falling | upright)) << S9 & state.enemy & wanted
    left = (pawns & NOT_A & ~(rising | upright)) << S7 & state.enemy & wanted
    end = _emit_pawns(stack, end, right, 9)
    end = _emit_pawns(stack, end, left, 7)
    if state.passant != NONE:
        king = lowest(kings(state) & state.own)
        takers = enemy_pawn_attacks(state.passant) & state.own & state.pawns
        while takers != NONE:
            source = takers & (~takers + ONE)
            if is_safe_passant(state, king, source, state.passant):
                end = _emit(stack, end, lowest(source), state.passant)
            takers ^= source
    return end


@jitable
def _along_pin(
    state: ChessState, stack: Any, end: int, pieces: Bits, line: int, targets: Bits
) -> int:
    """Moves of pinned sliders on the line of the pin."""
    while pieces != NONE:
        square = lowest(pieces)
        end = _emit(stack, end, square, along(square, line, state.own | state.enemy) & targets)
        pieces &= pieces - ONE
    return end


@jitable
def generate(state: ChessState, stack: Any, start: int, tactical: bool) -> int:
    """Write the legal moves, or only captures and promotions, from `start` on; returns the end.

    Without a stack it counts them.
    """
    own, enemy = state.own, state.enemy
    taken = own | enemy
    king_bit = kings(state) & own
    king = lowest(king_bit)
    end = _king_moves(state, stack, start, king_bit, tactical)
    wanted = ~own
    if state.checkers != NONE:
        if state.checkers & (state.checkers - ONE) != NONE:
            return end
        wanted = _answers(state, king)
    bishops, rooks = own & state.diagonals, own & state.straights
    across = _pinned(state, king, ACROSS, enemy & state.straights)
    upright = _pinned(state, king, UP, enemy & state.straights)
    rising = _pinned(state, king, RISING, enemy & state.diagonals)
    falling = _pinned(state, king, FALLING, enemy & state.diagonals)
    end = _pawn_moves(state, stack, end, wanted, tactical, across, rising, falling, upright)
    pinned = across | upright | rising | falling
    targets = wanted & enemy if tactical else wanted
    if pinned != NONE:
        end = _along_pin(state, stack, end, across & rooks, ACROSS, targets)
        end = _along_pin(state, stack, end, upright & rooks, UP, targets)
        end = _along_pin(state, stack, end, rising & bishops, RISING, targets)
        end = _along_pin(state, stack, end, falling & bishops, FALLING, targets)
    knights = own & state.knights & ~pinned
    while knights != NONE:
        knight = knights & (~knights + ONE)
        end = _emit(stack, end, lowest(knight), knight_attacks(knight) & targets)
        knights ^= knight
    bishops &= ~pinned
    while bishops != NONE:
        square = lowest(bishops)
        end = _emit(stack, end, square, diagonal(square, taken) & targets)
        bishops &= bishops - ONE
    rooks &= ~pinned
    while rooks != NONE:
        square = lowest(rooks)
        end = _emit(stack, end, square, straight(square, taken) & targets)
        rooks &= rooks - ONE
    return end


@outlined
def write_some(state: ChessState, stack: Any, start: int, tactical: bool) -> int:
    """One copy of `generate` for both kinds of moves, since it is the largest part of the code."""
    return generate(state, stack, start, tactical)


@jitable
def write_moves(state: ChessState, stack: Any, start: int) -> int:
    """All legal moves by the laws of movement, whether or not the game is drawn."""
    return write_some(state, stack, start, False)


@jitable
def write_captures(state: ChessState, stack: Any, start: int) -> int:
    """The legal captures and promotions."""
    return write_some(state, stack, start, True)


@outlined
def count_moves(state: ChessState) -> int:
    """The number of legal moves."""
    return generate(state, None, 0, False)


@jitable
def can_move(state: ChessState) -> bool:
    """Whether a legal move exists; mostly without looking at all of them."""
    if state.checkers == NONE:
        free = state.own & ~ROYAL[np.uint64(lowest(kings(state) & state.own))]
        if (free & state.pawns) << S8 & ~(state.own | state.enemy) != NONE:
            return True
        if knight_attacks(free & state.knights) & ~state.own != NONE:
            return True
    return count_moves(state) > 0
