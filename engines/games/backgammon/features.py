"""Numbers about a board that evaluations and programs use, each from the view of one side."""

from __future__ import annotations

import numpy as np

from engines.compiling.bits import Bits, lowest, popcount
from engines.compiling.jit import jitable, njit
from engines.games.backgammon.board import BAR, INNER, NONE, ONE, count, mirrored, occupied

ROLLS = 36
START_PIPS = 167
MOST_ESCAPES = 200
"""The `escapes` without any block."""

_FAR = np.uint64((1 << 19) - 2)
"""The points outside the home board of the other side."""


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
def _reached(men: Bits, free: Bits, one: int, other: int) -> Bits:
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
    if enemies & ONE != NONE:
        enemies = ONE
    hits = 0
    for one in range(1, 7):
        for other in range(1, one + 1):
            ways = 1 if one == other else 2
            hits += ways * popcount(_reached(enemies, free, one, other) & blots)
    return hits / ROLLS


@njit
def escapes(blocks: Bits) -> int:
    """The rolls with which men leave the home board of the other side, whose `blocks` stand there.

    Counted for a man on each point of that board without a block, and summed. Blocks elsewhere on
    the board count as well where the man would land.
    """
    free = INNER & ~blocks
    # Moving downwards from this side's view is moving upwards from the other side's.
    open_there, away = mirrored(free), mirrored(_FAR)
    found = 0
    for point in range(19, 25):
        start = ONE << np.uint64(BAR - point)
        if start & open_there == NONE:
            continue
        for one in range(1, 7):
            for other in range(1, one + 1):
                if _reached(start, open_there, one, other) & away != NONE:
                    found += 1 if one == other else 2
    return found


