"""Rules of the checkers family, as compiled kernels over the boards of `board`.

Captures are forced, but the choice between them is free. A jump continues as long as possible, and
its whole path is one move; a man that reaches the far row is crowned there and stops. The starting
square counts as empty, and captured pieces leave the board at the end of the jump, so no piece is
jumped twice. A side that cannot move has lost (at lose checkers: won).

A game is drawn after `QUIET_LIMIT` plies of both sides together without a capture or a move of a
man. This rule also ends repetition, which makes no progress.

A move is an int: from its low end, 6 bits for the bit it starts from, 6 for the one it ends on,
5 for the number of jumps (0 for a step), then 2 bits for the direction of each jump.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from engines.alphabeta.kernels import Moves
from engines.compiling.bits import Bits, lowest, mix, popcount
from engines.compiling.jit import jitable

QUIET_LIMIT = 80
"""Forty moves of each side."""
SEARCHED = 40
"""Searches up to this depth, in plies, see the draw exactly. Deeper ones, which finish only with
very few pieces left, may confuse counts that are far from it."""

NONE = np.uint64(0)
ONE = np.uint64(1)

TARGET_SHIFT, LEGS_SHIFT, PATH_SHIFT = 6, 12, 17
"""The first bits of the parts of a move."""
BIT_MASK, LEGS_MASK = 63, 31

DOWN_FAR, DOWN_NEAR, UP_NEAR, UP_FAR = 0, 1, 2, 3
"""The four directions, in the order of the squares they lead to; 3 - d is the reverse of d."""
RISING, FALLING, ANY_WAY = 0b1100, 0b0011, 0b1111
"""Sets of directions: of the first mover's men, of the second mover's, and of kings."""


class CheckersState(NamedTuple):
    """Pieces of the side to move and of the other, the kings of both, the seat to move, and the
    plies since the last progress."""

    mover: Bits
    other: Bits
    kings: Bits
    seat: int
    quiet: int


class LoseCheckersState(NamedTuple):
    """Like `CheckersState`; kernels distinguish them by their type."""

    mover: Bits
    other: Bits
    kings: Bits
    seat: int
    quiet: int


class Checkers10State(NamedTuple):
    """Like `CheckersState`, on the larger board."""

    mover: Bits
    other: Bits
    kings: Bits
    seat: int
    quiet: int


State: TypeAlias = CheckersState | LoseCheckersState | Checkers10State
Parts: TypeAlias = tuple[Bits, Bits, Bits, int, int]


@jitable
def _risers(state: State) -> Bits:
    """The mover's pieces that may move towards higher numbers."""
    return state.mover if state.seat == 0 else state.mover & state.kings


@jitable
def _fallers(state: State) -> Bits:
    return state.mover & state.kings if state.seat == 0 else state.mover


@jitable
def jumpers(state: State, empty: Bits, near: Bits, far: Bits) -> Bits:
    """The mover's pieces that can capture."""
    other = state.other
    rising = (other >> near) & (empty >> (near + near)) | (other >> far) & (empty >> (far + far))
    falling = (other << near) & (empty << (near + near)) | (other << far) & (empty << (far + far))
    return (_risers(state) & rising) | (_fallers(state) & falling)


@jitable
def steps(state: State, empty: Bits, near: Bits, far: Bits) -> int:
    """The number of moves if there is no capture."""
    rising, falling = _risers(state), _fallers(state)
    return (
        popcount((rising << near) & empty)
        + popcount((rising << far) & empty)
        + popcount((falling >> near) & empty)
        + popcount((falling >> far) & empty)
    )


@jitable
def is_stuck(state: State, empty: Bits, near: Bits, far: Bits) -> bool:
    rising, falling = _risers(state), _fallers(state)
    reached = (rising << near) | (rising << far) | (falling >> near) | (falling >> far)
    return bool(reached & empty == NONE and jumpers(state, empty, near, far) == NONE)


@jitable
def _shift(here: Bits, way: int, near: Bits, far: Bits) -> Bits:
    if way >= UP_NEAR:
        return here << near if way == UP_NEAR else here << far
    return here >> near if way == DOWN_NEAR else here >> far


@jitable
def _ways(here: Bits, victims: Bits, free: Bits, near: Bits, far: Bits) -> int:
    """The directions in which a king `here` can jump one of the victims."""
    ways = 0
    if (here >> far) & victims & (free << far) != NONE:
        ways |= 1 << DOWN_FAR
    if (here >> near) & victims & (free << near) != NONE:
        ways |= 1 << DOWN_NEAR
    if (here << near) & victims & (free >> near) != NONE:
        ways |= 1 << UP_NEAR
    if (here << far) & victims & (free >> far) != NONE:
        ways |= 1 << UP_FAR
    return ways


@jitable
def _next_jump(
    here: Bits,
    victims: Bits,
    path: int,
    legs: int,
    free: Bits,
    allowed: int,
    crown: Bits,
    near: Bits,
    far: Bits,
) -> tuple[Bits, Bits, int, int]:
    """Find the next complete jump of a piece, in the order of directions; 0 legs mean the end.

    The path so far is the whole memory of this depth-first walk: its last direction shows which
    ones were tried. `crown` holds the squares where the piece has to stop.
    """
    ways = _ways(here, victims, free, near, far) & allowed if legs == 0 else 0
    while True:
        if ways != 0:
            way = lowest(np.uint64(ways))
            middle = _shift(here, way, near, far)
            here = _shift(middle, way, near, far)
            victims ^= middle
            path |= way << (2 * legs)
            legs += 1
            ways = 0
            if here & crown == NONE:
                ways = _ways(here, victims, free, near, far) & allowed
            if ways == 0:
                return here, victims, path, legs
        elif legs == 0:
            return here, victims, path, legs
        else:
            legs -= 1
            way = path >> (2 * legs) & 3
            path ^= way << (2 * legs)
            middle = _shift(here, 3 - way, near, far)
            here = _shift(middle, 3 - way, near, far)
            victims ^= middle
            tried = (2 << way) - 1
            ways = _ways(here, victims, free, near, far) & allowed & ~tried


@jitable
def _ways_of(state: State, piece: Bits) -> int:
    if piece & state.kings != NONE:
        return ANY_WAY
    return RISING if state.seat == 0 else FALLING


@jitable
def count_jumps(state: State, left: Bits, empty: Bits, crown: Bits, near: Bits, far: Bits) -> int:
    """The number of jumps of the pieces of `left`; each path counts."""
    count = 0
    while left != NONE:
        here = left & (~left + ONE)
        left ^= here
        allowed = _ways_of(state, here)
        stop = NONE if allowed == ANY_WAY else crown
        free, victims, path, legs = empty | here, state.other, 0, 0
        while True:
            here, victims, path, legs = _next_jump(
                here, victims, path, legs, free, allowed, stop, near, far
            )
            if legs == 0:
                break
            count += 1
    return count


@jitable
def write_jumps(
    state: State,
    left: Bits,
    empty: Bits,
    crown: Bits,
    near: Bits,
    far: Bits,
    stack: Moves,
    end: int,
) -> int:
    """Write all jumps of the pieces of `left`, and return the new end of the stack."""
    while left != NONE:
        origin = lowest(left)
        left &= left - ONE
        here = ONE << np.uint64(origin)
        allowed = _ways_of(state, here)
        stop = NONE if allowed == ANY_WAY else crown
        free, victims, path, legs = empty | here, state.other, 0, 0
        while True:
            here, victims, path, legs = _next_jump(
                here, victims, path, legs, free, allowed, stop, near, far
            )
            if legs == 0:
                break
            ends = lowest(here) << TARGET_SHIFT | origin
            stack[end] = path << PATH_SHIFT | legs << LEGS_SHIFT | ends
            end += 1
    return end


@jitable
def write_steps(state: State, empty: Bits, near: Bits, far: Bits, stack: Moves, start: int) -> int:
    end = start
    rising, falling = _risers(state), _fallers(state)
    for way in range(4):
        pieces = rising if way >= UP_NEAR else falling
        left = pieces & _shift(empty, 3 - way, near, far)
        distance = np.int64(near if way in (UP_NEAR, DOWN_NEAR) else far)
        if way < UP_NEAR:
            distance = -distance
        while left != NONE:
            origin = lowest(left)
            left &= left - ONE
            stack[end] = (origin + distance) << TARGET_SHIFT | origin
            end += 1
    return end


@jitable
def jumps_of(move: int) -> int:
    """The number of pieces that a move captures."""
    return move >> LEGS_SHIFT & LEGS_MASK


@jitable
def after(state: State, move: int, crown: Bits, near: Bits, far: Bits) -> Parts:
    """The parts of the state after a move."""
    start = ONE << np.uint64(move & BIT_MASK)
    landed = ONE << np.uint64(move >> TARGET_SHIFT & BIT_MASK)
    legs = jumps_of(move)
    taken, here, path = NONE, start, move >> PATH_SHIFT
    for _ in range(legs):
        middle = _shift(here, path & 3, near, far)
        here = _shift(middle, path & 3, near, far)
        taken |= middle
        path >>= 2
    was_king = state.kings & start != NONE
    kings = state.kings & ~(start | taken)
    if was_king or landed & crown != NONE:
        kings |= landed
    quiet = state.quiet + 1 if was_king and legs == 0 else 0
    return state.other & ~taken, (state.mover ^ start) | landed, kings, 1 - state.seat, quiet


@jitable
def position_key(state: State) -> Bits:
    # The count of quiet plies matters only to a search that can reach the limit; otherwise, keys
    # without it let equal positions share an entry.
    near_end = max(0, state.quiet - (QUIET_LIMIT - SEARCHED))
    tag = np.uint64(near_end << 56 | state.seat << 62)
    return mix(state.mover ^ mix(state.other ^ mix(state.kings ^ tag)))
