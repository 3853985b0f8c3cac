"""The evaluations of chess: material alone, and a whole handwritten one.

The second weighs places, mobility, pawns, the king's safety and typical pieces for the middlegame
and for the endgame, and mixes both by the pieces that are left. All numbers are in hundredths of a
pawn, and the value of a position is that of its mirror image with the opposite sign.
"""

from __future__ import annotations

import numpy as np

from engines.compiling.bits import Bits, flipped, lowest, popcount
from engines.compiling.jit import jitable, outlined
from engines.games.chess.attacks import (
    FILE_A,
    NONE,
    NOT_A,
    NOT_H,
    ONE,
    RANK_7,
    S8,
    diagonal,
    enemy_pawn_attacks,
    king_attacks,
    knight_attacks,
    pawn_attacks,
    straight,
)
from engines.games.chess.board import ChessState

MATERIAL, WHOLE = 0, 1
"""The numbers of the evaluations."""

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
"""Rows of the tables of places."""

WORTH = (100, 320, 330, 500, 950)
MIDDLE_WORTH = (85, 330, 345, 470, 970, 0)
LATE_WORTH = (115, 300, 320, 545, 990, 0)
PHASES = (1, 1, 2, 4)
"""Weight of knight, bishop, rook and queen in the phase of the game."""
MOST_PHASE = 24

MOBILITY_MIDDLE = (4, 5, 3, 1)
MOBILITY_LATE = (3, 4, 5, 4)
USUAL_MOBILITY = (4, 6, 6, 12)
"""Weight per safe square of knight, bishop, rook and queen, counted from the usual number."""
ZONE_WEIGHTS = (20, 20, 35, 60)
"""Danger from a piece that attacks squares next to the king, before it is squared."""

PAIR_MIDDLE, PAIR_LATE = 25, 45
DOUBLED_MIDDLE, DOUBLED_LATE = -8, -18
ISOLATED_MIDDLE, ISOLATED_LATE = -12, -12
GUARDED = 7
"""A pawn that a pawn guards."""
OPEN_ROOK, HALF_OPEN_ROOK = 22, 10
SEVENTH_MIDDLE, SEVENTH_LATE = 12, 22
SHIELD_NEAR, SHIELD_FAR = 12, 6
OUTPOST = 18
"""A knight or a bishop that a pawn guards and that no enemy pawn can drive away."""
PASSED_MIDDLE = (0, 2, 6, 12, 26, 52, 90, 0)
PASSED_LATE = (0, 12, 18, 34, 66, 115, 180, 0)
PASSED_KING = 5
"""In the endgame, per step by which the own king is nearer to the square ahead than the other."""
FREE_PASSED = 8
"""Per rank of a passed pawn with nothing ahead of it on its next square."""


def _place_values(kind: int, square: int) -> tuple[int, int]:
    """The worth of a place in the middlegame and in the endgame, without that of the piece."""
    column, row = square % 8, square // 8
    middle_file = 3 - int(abs(column - 3.5))
    centre = 3 - int(max(abs(column - 3.5), abs(row - 3.5)))
    total = middle_file + 3 - int(abs(row - 3.5))
    if kind == PAWN:
        advance = (0, 0, 2, 8, 16, 26, 40, 0)[row]
        stay = -16 if row == 1 and column in (3, 4) else 0
        return advance // 2 + stay + (5 * middle_file if row in (2, 3, 4) else 0), advance // 2
    if kind == KNIGHT:
        return -38 + 9 * total + 3 * (row in (3, 4, 5)) - 8 * (row == 0), -30 + 8 * total
    if kind == BISHOP:
        return -14 + 5 * centre + 3 * middle_file - 8 * (row == 0), -10 + 4 * total
    if kind == ROOK:
        return -6 + 4 * middle_file + 6 * (row == 6), 3 * (row >= 4)
    if kind == QUEEN:
        return -6 + 3 * centre - 4 * (row > 4), -20 + 7 * total
    home = 28 if column in (1, 6) else 20 if column in (0, 7, 2) else -4
    return (home if row == 0 else -10 - 22 * row) - 6 * (centre if row else 0), -50 + 16 * total


def _tables(endgame: bool) -> list[int]:
    return [
        (LATE_WORTH if endgame else MIDDLE_WORTH)[kind] + _place_values(kind, square)[endgame]
        for kind in range(6)
        for square in range(64)
    ]


MIDDLE, LATE = np.array(_tables(False), np.int64), np.array(_tables(True), np.int64)
"""Worth of a piece on its square, by kind and square seen by its side."""

FILES = np.array([int(FILE_A) << column for column in range(8)], np.uint64)
BESIDE = np.array(
    [
        sum(int(FILE_A) << near for near in (column - 1, column + 1) if 0 <= near < 8)
        for column in range(8)
    ],
    np.uint64,
)
"""The files next to a file."""
SPAN = np.array(
    [
        sum(
            1 << 8 * row + column
            for row in range(square // 8 + 1, 8)
            for column in range(max(0, square % 8 - 1), min(8, square % 8 + 2))
        )
        for square in range(64)
    ],
    np.uint64,
)
"""The squares from which enemy pawns stop a pawn, now or later."""


@jitable
def _distance(one: int, other: int) -> int:
    """The moves of a king from one square to another."""
    return max(abs((one & 7) - (other & 7)), abs((one >> 3) - (other >> 3)))


@jitable
def _pawn_values(
    own: Bits, pawns: Bits, taken: Bits, king: int, enemy_king: int
) -> tuple[int, int]:
    """Structure of one side's pawns; all boards are seen by that side."""
    middle = late = 0
    mine, theirs = own & pawns, pawns & ~own
    guarded = popcount(mine & pawn_attacks(mine))
    middle, late = middle + GUARDED * guarded, late + GUARDED * guarded
    left = mine
    while left != NONE:
        square = lowest(left)
        left &= left - ONE
        place = np.uint64(square)
        middle += MIDDLE[place]
        late += LATE[place]
        column = np.uint64(square & 7)
        if mine & BESIDE[column] == NONE:
            middle, late = middle + ISOLATED_MIDDLE, late + ISOLATED_LATE
        if left & FILES[column] != NONE:
            middle, late = middle + DOUBLED_MIDDLE, late + DOUBLED_LATE
        elif theirs & SPAN[place] == NONE:
            row = square >> 3
            middle, late = middle + PASSED_MIDDLE[row], late + PASSED_LATE[row]
            if row > 3:
                ahead = square + 8
                nearer = _distance(enemy_king, ahead) - _distance(king, ahead)
                late += PASSED_KING * nearer * (row - 2)
                if taken >> np.uint64(ahead) & ONE == NONE:
                    late += FREE_PASSED * (row - 2)
    return middle, late


@jitable
def _shield(king: Bits, mine: Bits) -> int:
    """Pawns in front of a king that stands at home."""
    ahead = king | (king & NOT_A) >> ONE | (king & NOT_H) << ONE
    near = ahead << S8
    return SHIELD_NEAR * popcount(near & mine) + SHIELD_FAR * popcount((near << S8) & mine)


@jitable
def _mixed(middle: int, late: int, phase: int) -> int:
    phase = min(phase, MOST_PHASE)
    # Towards zero, so that a mirrored position has exactly the opposite value.
    total = middle * phase + late * (MOST_PHASE - phase)
    return total // MOST_PHASE if total >= 0 else -(-total // MOST_PHASE)


@jitable
def material(state: ChessState) -> int:
    """Material of the mover less that of the other side."""
    total = 0
    for side in range(2):
        mine = state.own if side == 0 else state.enemy
        queens = state.diagonals & state.straights & mine
        value = (
            WORTH[0] * popcount(mine & state.pawns)
            + WORTH[1] * popcount(mine & state.knights)
            + WORTH[2] * popcount(mine & state.diagonals & ~queens)
            + WORTH[3] * popcount(mine & state.straights & ~queens)
            + WORTH[4] * popcount(queens)
        )
        total += value if side == 0 else -value
    return total


@outlined
def whole(state: ChessState) -> int:
    """The evaluation `WHOLE`."""
    own, enemy, pawns, knights = state.own, state.enemy, state.pawns, state.knights
    diagonals, straights = state.diagonals, state.straights
    middle = late = phase = 0
    for side in range(2):
        if side == 1:
            own, enemy, pawns = flipped(enemy), flipped(own), flipped(pawns)
            knights, diagonals, straights = flipped(knights), flipped(diagonals), flipped(straights)
            middle, late = -middle, -late
        taken = own | enemy
        kings = taken & ~(pawns | knights | diagonals | straights)
        king, enemy_king = lowest(kings & own), lowest(kings & enemy)
        zone = king_attacks(kings & enemy)
        mine = own & pawns
        more, later = _pawn_values(own, pawns, taken, king, enemy_king)
        middle, late = middle + more, late + later
        place = np.uint64(64 * KING + king)
        middle, late = middle + MIDDLE[place], late + LATE[place]
        if king < 16:
            middle += _shield(kings & own, mine)
        guards = enemy_pawn_attacks(enemy & pawns)
        safe = ~(own | guards)
        outposts = pawn_attacks(mine)
        danger = attackers = 0
        pieces = own & (knights | diagonals | straights)
        while pieces != NONE:
            square = lowest(pieces)
            bit = pieces & (~pieces + ONE)
            pieces ^= bit
            if bit & knights != NONE:
                kind, seen = KNIGHT, knight_attacks(bit)
            elif bit & straights == NONE:
                # Bishops look through queens.
                kind, seen = BISHOP, diagonal(square, taken & ~(diagonals & straights))
            elif bit & diagonals == NONE:
                kind, seen = ROOK, straight(square, taken & ~(own & straights))
                column = np.uint64(square & 7)
                if mine & FILES[column] == NONE:
                    middle += OPEN_ROOK if pawns & FILES[column] == NONE else HALF_OPEN_ROOK
                if bit & RANK_7 != NONE and enemy_king >= 56:
                    middle, late = middle + SEVENTH_MIDDLE, late + SEVENTH_LATE
            else:
                kind, seen = QUEEN, straight(square, taken) | diagonal(square, taken)
            if kind <= BISHOP and bit & outposts != NONE:
                near = SPAN[np.uint64(square)] & ~FILES[np.uint64(square & 7)]
                if near & enemy & pawns == NONE and square >= 24:
                    middle += OUTPOST
            place = np.uint64(64 * kind + square)
            middle, late = middle + MIDDLE[place], late + LATE[place]
            phase += PHASES[kind - 1]
            choice = popcount(seen & safe) - USUAL_MOBILITY[kind - 1]
            middle += MOBILITY_MIDDLE[kind - 1] * choice
            late += MOBILITY_LATE[kind - 1] * choice
            if seen & zone != NONE:
                attackers += 1
                danger += ZONE_WEIGHTS[kind - 1] + 8 * popcount(seen & zone)
        if attackers > 1:
            middle += min(danger * danger // 180, 350)
        bishops = own & diagonals & ~straights
        if bishops & (bishops - ONE if bishops != NONE else NONE) != NONE:
            middle, late = middle + PAIR_MIDDLE, late + PAIR_LATE
        if enemy & ~kings == NONE:
            # A bare king is driven to the edge, and the own king helps.
            late += 10 * (7 - _distance(king, enemy_king)) + 60
    # Both sides' values were turned once: the last one is the enemy's.
    return _tamed(state, -_mixed(middle, late, phase))


@jitable
def _tamed(state: ChessState, value: int) -> int:
    """A quarter of the value if the side that is ahead cannot win by its pieces alone."""
    ahead = state.own if value > 0 else state.enemy
    minor = ahead & (state.knights | state.diagonals)
    if (
        ahead & (state.pawns | state.straights) == NONE
        and minor & (minor - ONE if minor != NONE else NONE) == NONE
    ):
        return value // 4 if value > 0 else -(-value // 4)
    return value


@jitable
def evaluate(state: ChessState, evaluation: int) -> int:
    """The value for the mover, by the evaluation of that number."""
    if evaluation == MATERIAL:
        return material(state)
    return whole(state)
