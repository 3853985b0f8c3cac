"""The engine's randomness: `java.util.Random`, to the bit.

The generator is 48 bits of the record `Battle` (`world.random`); every draw changes it in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.compiling.jit import njit
from engines.games.tanks.inlining import inlined
from engines.games.tanks.layout import World

_FACTOR = np.uint64(0x5DEECE66D)
_ADDEND = np.uint64(0xB)
_MASK = np.uint64((1 << 48) - 1)
# Four steps of the generator in one.
_FACTOR_4 = np.uint64(pow(0x5DEECE66D, 4, 1 << 64))
_ADDEND_4 = np.uint64(sum(0xB * 0x5DEECE66D**power for power in range(4)) % (1 << 64))
_TOP_31 = np.uint64(48 - 31)
_TOP_26 = np.uint64(48 - 26)
_TOP_27 = np.uint64(48 - 27)
_DOUBLE_UNIT = 1.0 / (1 << 53)


@njit
def seed_stream(world: World, seed: int) -> None:
    """Start the stream of `new java.util.Random(seed)`."""
    world.random = (np.uint64(seed) ^ _FACTOR) & _MASK


@njit
def _next_31(world: World) -> int:
    world.random = (world.random * _FACTOR + _ADDEND) & _MASK
    return int(np.int64(world.random >> _TOP_31))


@njit
def next_double(world: World) -> float:
    """Uniform in [0, 1)."""
    state = (world.random * _FACTOR + _ADDEND) & _MASK
    high = np.int64(state >> _TOP_26)
    state = (state * _FACTOR + _ADDEND) & _MASK
    low = np.int64(state >> _TOP_27)
    world.random = state
    return ((high << 27) + low) * _DOUBLE_UNIT


@njit
def next_int(world: World, bound: int) -> int:
    """Uniform in 0 .. bound - 1."""
    draw = _next_31(world)
    if bound & (bound - 1) == 0:
        return (bound * draw) >> 31
    rest = draw % bound
    # Values above the last multiple of the bound would favour small results: draw again.
    while draw - rest + bound - 1 > 0x7FFFFFFF:
        draw = _next_31(world)
        rest = draw % bound
    return rest


@njit
def shuffle(world: World, row: Any, count: int) -> None:
    """Put the first `count` entries of `row` in random order."""
    for left in range(count, 1, -1):
        pick = next_int(world, left)
        row[left - 1], row[pick] = row[pick], row[left - 1]


@njit
def shuffle_range(world: World, row: Any, count: int) -> None:
    """Write 0 .. count - 1 to `row` in random order."""
    for index in range(count):
        row[index] = index
    shuffle(world, row, count)


@inlined
def skip_shuffles(world: World, times: int, count: int) -> None:
    """Advance the stream like `times` shuffles of `count` entries, for irrelevant orders."""
    _skip(world, times * (count - 1), times, count, 0, 0)


@inlined
def skip_bullet_shuffles(world: World, count: int) -> None:
    """The same for a turn of `count` bullets: one shuffle of them, and per bullet of all tanks
    and all bullets again."""
    draws = count - 1 + count * (world.seats - 1 + count - 1)
    _skip(world, draws, 1, count, count, max(count, world.seats))


@njit
def _skip(world: World, draws: int, times: int, count: int, turns: int, most: int) -> None:
    """Only the topmost draws repeat; without one of them, advancing is enough."""
    state = world.random
    top = np.uint64(0)
    # Four draws at a time, since each depends on the previous one.
    if draws >= 4:
        a = state * _FACTOR + _ADDEND
        b = a * _FACTOR + _ADDEND
        c = b * _FACTOR + _ADDEND
        state = c * _FACTOR + _ADDEND
        top = max(max(a & _MASK, b & _MASK), max(c & _MASK, state & _MASK))
        for _ in range(draws // 4 - 1):
            a = a * _FACTOR_4 + _ADDEND_4
            b = b * _FACTOR_4 + _ADDEND_4
            c = c * _FACTOR_4 + _ADDEND_4
            state = state * _FACTOR_4 + _ADDEND_4
            top = max(top, max(max(a & _MASK, b & _MASK), max(c & _MASK, state & _MASK)))
    for _ in range(draws % 4):
        state = state * _FACTOR + _ADDEND
        top = max(top, state & _MASK)
    if np.int64(top >> _TOP_31) <= 0x7FFFFFFF - max(count, most):
        world.random = state & _MASK
        return
    for _ in range(times):
        _skip_shuffle(world, count)
    for _ in range(turns):
        _skip_shuffle(world, world.seats)
        _skip_shuffle(world, count)


@njit
def _skip_shuffle(world: World, count: int) -> None:
    for bound in range(count, 1, -1):
        next_int(world, bound)
