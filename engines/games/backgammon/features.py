"""Numbers about a board that evaluations and programs use, each from the view of one side."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.compiling.bits import Bits, lowest, popcount
from engines.compiling.jit import jitable, njit
from engines.games.backgammon.board import BAR, INNER, NONE, ONE, count, mirrored, occupied

ROLLS = 36
START_PIPS = 167
MOST_ESCAPES = 200
"""The `escapes` without any block."""

_OUTSIDE = np.uint64((1 << 25) - (1 << 7))
"""The points outside the home board in which men begin who move upwards."""


@jitable
def pips(low: Bits, high: Bits) -> int:
    """The points that all men together have to go until they are off."""
    found = 0
    left = occupied(low, high)
    while left != NONE:
        place = lowest(left)
        left &= left - ONE
        found += place * count(low, high, place)
    return found


@jitable
def _reached(men: Any, free: Any, one: int, other: int) -> Any:
    """The points that men who move upwards can reach with a roll, on `free` points.

    A man may play one die, or both if it can stop in between; of a double up to four.
    """
    first, second = np.uint64(one), np.uint64(other)
    by_one, by_other = men << first & free, men << second & free
    if one != other:
        return by_one | by_other | (by_one << second | by_other << first) & free
    by_two = by_one << first & free
    by_three = by_two << first & free
    return by_one | by_two | by_three | by_three << first & free


@njit
def hit_chances(blots: Bits, enemies: Bits, free: Bits) -> float:
    """The sum over the blots of the chance that the next roll of the enemy can hit it.

    All places are from the view of the blots' side, so enemies move upwards, and place 0 is their
    bar: if men are there, only those hit. `free` are the points on which enemies may land.
    """
    if blots == NONE:
        return 0.0
    if enemies & ONE != NONE:
        enemies = ONE
    hits = 0
    for one in range(1, 7):
        for other in range(1, one + 1):
            ways = 1 if one == other else 2
            hits += ways * popcount(_reached(enemies, free, one, other) & blots)
    return hits / ROLLS


def _count_escapes() -> Any:
    """`escapes` for each set of blocks on the points 13 to 24; others cannot matter."""
    sets = np.arange(1 << 12, dtype=np.uint64) << np.uint64(13)
    # Seen from the other side, the men move upwards.
    free = np.array([int(mirrored(INNER & ~blocks)) for blocks in sets], np.uint64)
    found = np.zeros(len(sets), np.int64)
    for point in range(19, 25):
        start = free & np.uint64(1 << BAR - point)
        for one in range(1, 7):
            for other in range(1, one + 1):
                escaped = _reached(start, free, one, other) & _OUTSIDE != NONE
                found += escaped * (1 if one == other else 2)
    return found


_ESCAPES = _count_escapes()


@jitable
def escapes(blocks: Bits) -> int:
    """The rolls with which men leave the home board of the other side, past its `blocks`.

    They are counted for a man on each point of that board without a block, and summed.
    """
    return _ESCAPES[blocks >> np.uint64(13) & np.uint64(0xFFF)]  # type: ignore[no-any-return]
