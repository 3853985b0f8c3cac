"""The engine's randomness: `java.util.Random`, to the bit.

The generator is 48 bits of the record `Battle` (`battle.random`); every draw changes it in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.jit import njit

_FACTOR = np.uint64(0x5DEECE66D)
_ADDEND = np.uint64(0xB)
_MASK = np.uint64((1 << 48) - 1)
_TOP_31 = np.uint64(48 - 31)
_TOP_26 = np.uint64(48 - 26)
_TOP_27 = np.uint64(48 - 27)
_DOUBLE_UNIT = 1.0 / (1 << 53)


@njit
def seed_stream(battle: Any, seed: int) -> None:
    """Start the stream of `new java.util.Random(seed)`."""
    battle.random = (np.uint64(seed) ^ _FACTOR) & _MASK


@njit
def _next_31(battle: Any) -> int:
    battle.random = (battle.random * _FACTOR + _ADDEND) & _MASK
    return np.int64(battle.random >> _TOP_31)


@njit
def next_double(battle: Any) -> float:
    """Uniform in [0, 1)."""
    state = (battle.random * _FACTOR + _ADDEND) & _MASK
    high = np.int64(state >> _TOP_26)
    state = (state * _FACTOR + _ADDEND) & _MASK
    low = np.int64(state >> _TOP_27)
    battle.random = state
    return ((high << 27) + low) * _DOUBLE_UNIT


@njit
def next_int(battle: Any, bound: int) -> int:
    """Uniform in 0 .. bound - 1."""
    draw = _next_31(battle)
    if bound & (bound - 1) == 0:
        return (bound * draw) >> 31
    rest = draw % bound
    # The values above the last multiple of the bound would favour small results: drawn again.
    while draw - rest + bound - 1 > 0x7FFFFFFF:
        draw = _next_31(battle)
        rest = draw % bound
    return rest


@njit
def shuffle(battle: Any, row: Any, count: int) -> None:
    """Put the first `count` entries of `row` in random order."""
    for left in range(count, 1, -1):
        pick = next_int(battle, left)
        row[left - 1], row[pick] = row[pick], row[left - 1]


@njit
def shuffle_range(battle: Any, row: Any, count: int) -> None:
    """Write 0 .. count - 1 to `row` in random order."""
    for index in range(count):
        row[index] = index
    shuffle(battle, row, count)


@njit
def skip_shuffle(battle: Any, count: int) -> None:
    """Draw what a shuffle of `count` entries draws, for an order that nobody will look at."""
    for bound in range(count, 1, -1):
        draw = _next_31(battle)
        # Only the topmost values can be drawn again, so that hardly any needs the division.
        if draw > 0x7FFFFFFF - bound and bound & (bound - 1) != 0:
            while draw - draw % bound + bound - 1 > 0x7FFFFFFF:
                draw = _next_31(battle)
