"""The board: men of both sides as binary digits of 26 places, and the conversions of a position.

Each side counts from its own view: 1 to 24 are its points (1 is the last one before the men are
off), 25 is its bar. Point p of one side is point 25 - p of the other. The number of men on a place
has four binary digits: bits 0 to 25 of `low` hold the first digit of all places and bits 32 to 57
the second, `high` holds the third and the fourth in the same way. So a rule that concerns all
places is a few operations on whole words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engines.compiling.bits import Bits, lowest, popcount, reverse
from engines.compiling.jit import jitable

MEN = 15
BAR = 25
POINTS = range(1, 25)
HOME = 6
"""Points 1 to 6 are the home board."""

TO_ROLL, OPENING = 0, 1
"""Values of `BackgammonState.dice` if dice move next; otherwise it is 8 times one die plus the
other."""

ONE = np.uint64(1)
NONE = np.uint64(0)
HALF = np.uint64(32)
PLACES = np.uint64((1 << 26) - 1)
INNER = np.uint64((1 << 25) - 2)
"""The 24 points."""
ON_BAR = np.uint64(1 << BAR)
OUTSIDE = np.uint64(7)
"""A shift by this leaves the places outside the home board."""
_MIRROR = np.uint64(38)

START = (0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0)
"""The men of each side at the start, by place; place 0 is unused."""


class BackgammonState(NamedTuple):
    """A position of one game for the side to move or to roll."""

    own_low: Bits
    own_high: Bits
    their_low: Bits
    their_high: Bits
    seat: int
    dice: int
    """8 times the larger die plus the smaller one, or `TO_ROLL`, or `OPENING`."""
    race: int
    """1 if there was no contact before the last move: Pubeval then values a race."""


def pack(men: Sequence[int]) -> tuple[Bits, Bits]:
    """The two words of one side from its numbers of men."""
    low = sum((n & 1) << place | (n >> 1 & 1) << place + 32 for place, n in enumerate(men))
    high = sum((n >> 2 & 1) << place | (n >> 3) << place + 32 for place, n in enumerate(men))
    return np.uint64(low), np.uint64(high)


def unpack(low: Bits, high: Bits) -> list[int]:
    """The numbers of men of one side by place."""
    digits = (int(low), int(low) >> 32, int(high), int(high) >> 32)
    return [sum((digit >> p & 1) << n for n, digit in enumerate(digits)) for p in range(26)]


def make(
    own: Sequence[int], their: Sequence[int], seat: int = 0, dice: int = TO_ROLL
) -> BackgammonState:
    """A position from the numbers of men; the race begins as soon as there is no contact."""
    made = BackgammonState(*pack(own), *pack(their), seat, dice, 0)
    contact = touches(occupied(made.own_low, made.own_high), occupied(*made[2:4]))
    return made._replace(race=int(not contact))


@jitable
def occupied(low: Bits, high: Bits) -> Bits:
    """The places with at least one man."""
    both = low | high
    return (both | both >> HALF) & PLACES


@jitable
def crowded(low: Bits, high: Bits) -> Bits:
    """The places with at least two men."""
    return (low >> HALF | high | high >> HALF) & PLACES


@jitable
def count(low: Bits, high: Bits, place: int) -> int:
    """The number of men on a place."""
    shift = np.uint64(place)
    lower, upper = low >> shift, high >> shift
    pair = (lower & ONE) + (lower >> HALF & ONE) * np.uint64(2)
    return np.int64(  # type: ignore[return-value]
        pair + (upper & ONE) * np.uint64(4) + (upper >> HALF & ONE) * np.uint64(8)
    )


@jitable
def total(low: Bits, high: Bits) -> int:
    """All men that are not borne off."""
    first, second = popcount(low & PLACES), popcount(low >> HALF)
    return first + 2 * second + 4 * popcount(high & PLACES) + 8 * popcount(high >> HALF)


@jitable
def add(low: Bits, high: Bits, bit: Bits) -> tuple[Bits, Bits]:
    """The words of a side with one more man on the place of this bit."""
    carry = low & bit
    low ^= bit
    bit = carry << HALF
    carry = low & bit
    low ^= bit
    bit = carry >> HALF
    carry = high & bit
    high ^= bit
    return low, high ^ carry << HALF


@jitable
def remove(low: Bits, high: Bits, bit: Bits) -> tuple[Bits, Bits]:
    """The words of a side with one man less on the place of this bit."""
    borrow = bit & ~low
    low ^= bit
    bit = borrow << HALF
    borrow = bit & ~low
    low ^= bit
    bit = borrow >> HALF
    borrow = bit & ~high
    high ^= bit
    return low, high ^ borrow << HALF


@jitable
def mirrored(places: Bits) -> Bits:
    """The same places from the view of the other side; the bar becomes place 0."""
    return reverse(places) >> _MIRROR


@jitable
def touches(own: Bits, their: Bits) -> bool:
    """Whether the sides can still hit each other, from the places that they occupy.

    There is no contact if the last man of one side is in front of all men of the other.
    """
    if their == NONE:
        return False
    return bool(own >> np.uint64(lowest(mirrored(their))) > ONE)


START_POSITION = make(START, START, 0, OPENING)
