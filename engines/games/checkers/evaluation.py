"""Evaluations of unfinished positions of the checkers family, for the mover.

An evaluation is a number. Those from `RANDOM` on return noise: it is fixed for each number and
position, and independent between numbers, so a player draws a new number for each move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.compiling.bits import Bits, mix, popcount
from engines.compiling.jit import jitable
from engines.games.checkers.board import Board
from engines.games.checkers.rules import State, position_key

MATERIAL_LOW, MATERIAL_HIGH, EXPERT, RANDOM = 0, 1, 2, 16
EVALUATIONS = MATERIAL_LOW, MATERIAL_HIGH, EXPERT, RANDOM
"""Pieces with a small and a large bonus for kings; pieces and their places; noise."""

MAN = 2
"""The value of a man by material; a king is worth one and a half, or two."""
NOISE_SHIFT = np.uint64(54)
NOISE = 512
"""Noise takes ten bits, half of them below 0."""


@dataclass(frozen=True)
class Places:
    """Sets of squares for `expert_worth`, from one side's view."""

    home: Bits
    """The own home row, where men prevent crowning."""
    centre: Bits
    rows: tuple[Bits, Bits, Bits, Bits]
    """Rows whose number, counted from home, has bit 0 (1, 2, 3) set: three or four bit counts sum
    the progress of all men."""


def places(board: Board, seat: int) -> Places:
    """The sets of squares for the pieces of a seat."""
    order = range(board.size) if seat == 0 else range(board.size - 1, -1, -1)
    planes = tuple(
        board.rows(row for number, row in enumerate(order) if number >> plane & 1)
        for plane in range(4)
    )
    middle = range(2, board.size - 2)
    centre = np.uint64(int(board.rows(middle)) & int(board.columns(middle)))
    return Places(board.row(order[0]), centre, (planes[0], planes[1], planes[2], planes[3]))


@jitable
def material(state: State, king: int) -> int:
    """Pieces of the mover less those of the other side, in units of `MAN` per man."""
    mine, theirs = popcount(state.mover), popcount(state.other)
    my_kings, their_kings = popcount(state.mover & state.kings), popcount(state.other & state.kings)
    return MAN * (mine - theirs) + (king - MAN) * (my_kings - their_kings)


@jitable
def advance(men: Bits, ones: Bits, twos: Bits, fours: Bits, eights: Bits) -> int:
    """The sum of the rows that all men have advanced."""
    return (
        popcount(men & ones)
        + 2 * popcount(men & twos)
        + 4 * popcount(men & fours)
        + 8 * popcount(men & eights)
    )


@jitable
def side_worth(men: Bits, kings: Bits, advanced: int, home: Bits, centre: Bits) -> int:
    """The value of one side's pieces in hundredths of a man."""
    return (
        100 * popcount(men)
        + 145 * popcount(kings)
        + 2 * advanced
        + 7 * popcount(men & home)
        + 3 * popcount(men & centre)
        + 9 * popcount(kings & centre)
    )


@jitable
def balance(state: State, worth: int) -> int:
    """The value, with a bonus for exchanges by the side that is ahead."""
    pieces = popcount(state.mover | state.other)
    ahead = popcount(state.mover) - popcount(state.other)
    return worth + 240 * ahead // (pieces + 1)


@jitable
def noise(state: State, evaluation: int) -> int:
    mixed = mix(position_key(state) ^ np.uint64(evaluation)) >> NOISE_SHIFT
    return np.int64(mixed) - NOISE  # type: ignore[return-value]
