"""The squares that pieces attack: knights and kings by shifts, sliders by obstruction difference.

A line through a square has a part below it and a part above it, in the order of the bits. The
attacks on the line end at the highest piece below and at the lowest piece above:

    above - (1 << highest below)  changes exactly the bits from the one end to the other.

This needs two loads and eight operations per line, no multiplication and 4 KB of tables.
"""

from __future__ import annotations

import numpy as np

from engines.compiling.bits import Bits, highest, less, lowest
from engines.compiling.jit import jitable

NONE = np.uint64(0)
ONE = np.uint64(1)
ALL = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
FILE_A = np.uint64(0x0101_0101_0101_0101)
FILE_H = np.uint64(0x8080_8080_8080_8080)
NOT_A, NOT_H = ALL ^ FILE_A, ALL ^ FILE_H
NOT_AB = ALL ^ FILE_A ^ (FILE_A << ONE)
NOT_GH = ALL ^ FILE_H ^ (FILE_H >> ONE)
RANK_1 = np.uint64(0xFF)
RANK_3, RANK_7, RANK_8 = (RANK_1 << np.uint64(8 * row) for row in (2, 6, 7))

S1, S6, S7, S8, S9, S10, S15, S17 = (np.uint64(n) for n in (1, 6, 7, 8, 9, 10, 15, 17))
"""Distances of shifts."""

ACROSS, UP, RISING, FALLING = 0, 1, 2, 3
"""Lines: rank, file, and the diagonals from a1 to h8 and from a8 to h1."""


def _line_parts() -> list[int]:
    """For each square and line the part below and the part above."""
    parts = []
    for square in range(64):
        column, row = square % 8, square // 8
        for across, up in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            below = above = 0
            for step in range(1, 8):
                for way, place in ((-1, 0), (1, 1)):
                    x, y = column + way * step * across, row + way * step * up
                    if 0 <= x < 8 and 0 <= y < 8:
                        bit = 1 << (8 * y + x)
                        below, above = (below, above | bit) if place else (below | bit, above)
            parts += [below, above]
    return parts


LINES = np.array(_line_parts(), np.uint64)
"""Eight words per square: the parts below and above, line by line."""

ROYAL = np.array([int(sum(LINES[8 * s : 8 * s + 8].tolist())) for s in range(64)], np.uint64)
"""All squares of the four lines through a square, without it: no other piece can be pinned."""


@jitable
def along(square: int, line: int, taken: Bits) -> Bits:
    """The squares that a slider attacks on one line, up to the first taken ones."""
    place = np.uint64(8 * square + 2 * line)
    below, above = LINES[place], LINES[place + ONE]
    end = ONE << np.uint64(highest(taken & below | ONE))
    ahead = taken & above
    return (below | above) & (ahead ^ less(ahead, end))  # type: ignore[no-any-return]


@jitable
def straight(square: int, taken: Bits) -> Bits:
    """The squares that a rook attacks."""
    return along(square, ACROSS, taken) | along(square, UP, taken)


@jitable
def diagonal(square: int, taken: Bits) -> Bits:
    """The squares that a bishop attacks."""
    return along(square, RISING, taken) | along(square, FALLING, taken)


@jitable
def knight_attacks(knights: Bits) -> Bits:
    """The squares that any of the knights attack."""
    near_left, near_right = knights & NOT_A, knights & NOT_H
    far_left, far_right = knights & NOT_AB, knights & NOT_GH
    return (
        near_left << S15
        | near_right << S17
        | far_left << S6
        | far_right << S10
        | near_left >> S17
        | near_right >> S15
        | far_left >> S10
        | far_right >> S6
    )


@jitable
def king_attacks(king: Bits) -> Bits:
    """The squares next to a king."""
    beside = (king & NOT_A) >> S1 | (king & NOT_H) << S1
    row = king | beside
    return beside | row << S8 | row >> S8


@jitable
def pawn_attacks(pawns: Bits) -> Bits:
    """The squares that the mover's pawns attack."""
    return (pawns & NOT_A) << S7 | (pawns & NOT_H) << S9


@jitable
def enemy_pawn_attacks(pawns: Bits) -> Bits:
    """The squares that pawns of the other side attack: theirs go down."""
    return (pawns & NOT_A) >> S9 | (pawns & NOT_H) >> S7


@jitable
def slider_attacks(diagonals: Bits, straights: Bits, taken: Bits) -> Bits:
    """The squares that any of these sliders attack; a queen is on both boards."""
    found = NONE
    while diagonals != NONE:
        found |= diagonal(lowest(diagonals), taken)
        diagonals &= diagonals - ONE
    while straights != NONE:
        found |= straight(lowest(straights), taken)
        straights &= straights - ONE
    return found
