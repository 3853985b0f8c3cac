"""The rules of one game, as kernels: dice, turns, and the points of a finished game.

A move is a whole turn: four numbers of five bits, the places from which men move, 0 for none. With
two different dice the first place belongs to the larger die, the second to the smaller one;
`SMALL_FIRST` says that the smaller one is played first. After a double, all four places are in
descending order: then two moves never lead to the same position. The dice stand above the places,
so that a move can be drawn without the position before it. A move of the dice is a value of
`BackgammonState.dice`, except at the opening: there the first die belongs to seat 0, the second to
seat 1, and the side with the larger one begins with both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engines.alphabeta import kernels
from engines.alphabeta.kernels import MOST_MOVES, Moves
from engines.compiling.bits import Bits, highest, lowest, mix
from engines.compiling.jit import jitable, njit
from engines.games.backgammon.board import (
    BAR,
    INNER,
    NONE,
    ON_BAR,
    ONE,
    OPENING,
    OUTSIDE,
    TO_ROLL,
    BackgammonState,
    add,
    crowded,
    mirrored,
    occupied,
    remove,
    total,
    touches,
)

SMALL_FIRST = 1 << 20
PLACE = 31
"""The mask of one place in a move."""
ROLLED = 21
"""The first bit of the dice in a move."""

NORMAL, GAMMON, BACKGAMMON = 1, 2, 3
"""The points of a won game."""

IN_WINNERS_HOME = np.uint64(0x7F << 19)
"""The loser's bar, and its places in the home board of the winner."""


@jitable
def open_points(state: BackgammonState) -> Bits:
    """The points on which the mover may land: at most one man of the other side is there."""
    return INNER & ~mirrored(crowded(state.their_low, state.their_high))


@jitable
def sources(occupied: Bits, free: Bits, die: int) -> Bits:
    """The places from which a die can be played."""
    if occupied & ON_BAR != NONE:
        return ON_BAR & free << np.uint64(die)
    found = occupied & free << np.uint64(die)
    if occupied >> OUTSIDE == NONE:
        exact = ONE << np.uint64(die)
        if occupied & exact != NONE:
            found |= exact
        elif occupied < exact and occupied != NONE:
            # Only without a man behind it does a die bear off from a lower point.
            found |= ONE << np.uint64(highest(occupied))
    return found


@jitable
def _moved(occupied: Bits, single: Bits, place: int, die: int) -> Bits:
    """The occupied places after one step; `single` are those with one man."""
    bit = ONE << np.uint64(place)
    occupied &= ~(bit & single)
    if place > die:
        occupied |= bit >> np.uint64(die)
    return occupied


class Dice(NamedTuple):
    """Two different dice, and all that decides where they can be played."""

    men: Bits
    single: Bits
    free: Bits
    blots: Bits
    """The open points on which a man of the other side would be hit."""
    large: int
    small: int


@jitable
def _is_legal(dice: Dice, a: int, b: int) -> bool:
    """Whether the large die can be played from `a`, and then the small one from `b`."""
    if sources(dice.men, dice.free, dice.large) >> np.uint64(a) & ONE == NONE:
        return False
    men = _moved(dice.men, dice.single, a, dice.large)
    return bool(sources(men, dice.free, dice.small) >> np.uint64(b) & ONE != NONE)


@jitable
def _is_repeated(dice: Dice, a: int, b: int) -> bool:
    """Whether a turn of the large die first, from `a` and then `b`, is a turn of two men, too.

    One man that moves twice leads where two men do of which one takes the place of the other,
    unless it hits on the way.
    """
    if b != a - dice.large or a <= dice.small or dice.blots >> np.uint64(b) & ONE != NONE:
        return False
    return _is_legal(dice, a - dice.small, a)


@jitable
def _is_known(dice: Dice, a: int, b: int) -> bool:
    """Whether a turn of the small die first, from `b` and then `a`, is one of the large die first,
    too."""
    if _is_legal(dice, a, b):
        return True
    if a <= dice.large and b <= dice.small and _is_legal(dice, b, a):
        return True  # both men are borne off
    if a != b - dice.small or b <= dice.large:
        return False
    # One man moves twice, and hits nothing on the way.
    way = ONE << np.uint64(a) | ONE << np.uint64(b - dice.large)
    return dice.blots & way == NONE and _is_legal(dice, b, b - dice.large)


@njit
def _turns_of_two(state: BackgammonState, stack: Moves, start: int) -> int:
    """Write the turns with two different dice."""
    large, small = state.dice >> 3, state.dice & 7
    men, free = occupied(state.own_low, state.own_high), open_points(state)
    single = men & ~crowded(state.own_low, state.own_high)
    blots = free & mirrored(occupied(state.their_low, state.their_high))
    dice = Dice(men, single, free, blots, large, small)
    rolled = state.dice << ROLLED
    end = start
    by_large = left = sources(men, free, large)
    while left != NONE:
        a = lowest(left)
        left &= left - ONE
        then = sources(_moved(men, single, a, large), free, small)
        while then != NONE:
            b = lowest(then)
            then &= then - ONE
            if not _is_repeated(dice, a, b):
                stack[end] = a | b << 5 | rolled
                end += 1
    by_small = left = sources(men, free, small)
    while left != NONE:
        b = lowest(left)
        left &= left - ONE
        then = sources(_moved(men, single, b, small), free, large)
        while then != NONE:
            a = lowest(then)
            then &= then - ONE
            if not _is_known(dice, a, b):
                stack[end] = a | b << 5 | SMALL_FIRST | rolled
                end += 1
    if end > start:
        return end
    # Only one die can be played: the larger one if possible.
    shift = 0 if by_large != NONE else 5
    left = by_large if by_large != NONE else by_small
    while left != NONE:
        stack[end] = lowest(left) << shift | rolled
        left &= left - ONE
        end += 1
    return end


@njit
def _extend(
    low: Bits,
    high: Bits,
    free: Bits,
    die: int,
    last: int,
    depth: int,
    move: int,
    most: int,
    stack: Moves,
    start: int,
    end: int,
) -> tuple[int, int]:
    """Write the turns of a double that begin with `move`, `depth` steps long so far, and go on from
    places up to `last`. `most` is the longest turn so far; only turns of this length count."""
    left = sources(occupied(low, high), free, die)
    left &= (ONE << np.uint64(last + 1)) - ONE
    if left == NONE and depth > 0:
        if depth > most:
            most, end = depth, start
        if depth == most:
            stack[end] = move
            end += 1
        return most, end
    while left != NONE:
        place = highest(left)
        bit = ONE << np.uint64(place)
        left ^= bit
        longer = move | place << 5 * depth
        if depth == 3:
            if most < 4:
                most, end = 4, start
            stack[end] = longer
            end += 1
            continue
        then_low, then_high = remove(low, high, bit)
        if place > die:
            then_low, then_high = add(then_low, then_high, bit >> np.uint64(die))
        most, end = _extend(
            then_low, then_high, free, die, place, depth + 1, longer, most, stack, start, end
        )
    return most, end


@njit
def _turns(state: BackgammonState, stack: Moves, start: int) -> int:
    """Write all turns; a turn without places if no die can be played."""
    large, small = state.dice >> 3, state.dice & 7
    if large != small:
        end = _turns_of_two(state, stack, start)
    else:
        # Variables, because literals would create specialisations (see `compiling.jit`).
        zero = state.dice - state.dice
        _, end = _extend(
            state.own_low,
            state.own_high,
            open_points(state),
            large,
            zero + BAR,
            zero,
            state.dice << ROLLED,
            zero,
            stack,
            start,
            start,
        )
    if end == start:
        stack[start] = state.dice << ROLLED
        end += 1
    return end


@kernels.moves.register(BackgammonState)
def _moves(state: BackgammonState, stack: Moves, start: int) -> int:
    if state.dice > OPENING:
        return _turns(state, stack, start)
    if kernels.over(state):
        return start
    end = start
    for one in range(1, 7):
        for other in range(1, 7 if state.dice == OPENING else one + 1):
            if one != other or state.dice != OPENING:
                stack[end] = 8 * one + other
                end += 1
    return end


@kernels.mobility.register(BackgammonState)
def _mobility(state: BackgammonState) -> int:
    return kernels.moves(state, np.empty(MOST_MOVES, np.int64), 0)


@kernels.chance.register(BackgammonState)
def _chance(state: BackgammonState) -> bool:
    return state.dice <= OPENING


@kernels.alternates.register(BackgammonState)
def _alternates(state: BackgammonState) -> bool:
    return False


@kernels.likelihood.register(BackgammonState)
def _likelihood(state: BackgammonState, move: int) -> float:
    if state.dice == OPENING:
        return 1 / 30
    return 1 / 36 if move >> 3 == move & 7 else 1 / 18


@kernels.over.register(BackgammonState)
def _over(state: BackgammonState) -> bool:
    # The side that has just moved is the only one that can have borne all men off.
    return bool(state.their_low | state.their_high == NONE)


@kernels.result.register(BackgammonState)
def _result(state: BackgammonState) -> int:
    if total(state.own_low, state.own_high) < 15:
        return -NORMAL
    if occupied(state.own_low, state.own_high) & IN_WINNERS_HOME == NONE:
        return -GAMMON
    return -BACKGAMMON


@kernels.score.register(BackgammonState)
def _score(state: BackgammonState, seat: int) -> float:
    """The winner's points."""
    return 0.0 if state.seat == seat else -float(kernels.result(state))


@kernels.play.register(BackgammonState)
def _play(state: BackgammonState, move: int) -> BackgammonState:
    own_low, own_high, their_low, their_high, seat, dice, _ = state
    if dice <= OPENING:
        first, second = move >> 3, move & 7
        if dice == OPENING:
            seat = 0 if first > second else 1
        high, low = max(first, second), min(first, second)
        return BackgammonState(
            own_low, own_high, their_low, their_high, seat, 8 * high + low, state.race
        )
    contact = touches(occupied(own_low, own_high), occupied(their_low, their_high))
    large, small = dice >> 3, dice & 7
    rest = move & (SMALL_FIRST - 1)
    die, other = large, small
    if move & SMALL_FIRST != 0:
        rest = (rest & PLACE) << 5 | rest >> 5
        die, other = small, large
    for _ in range(4):
        place = rest & PLACE
        rest >>= 5
        if place != 0:
            bit = ONE << np.uint64(place)
            own_low, own_high = remove(own_low, own_high, bit)
            if place > die:
                own_low, own_high = add(own_low, own_high, bit >> np.uint64(die))
                met = ONE << np.uint64(BAR - place + die)
                # The point is open, so one man at most is there.
                if their_low & met != NONE:
                    their_low ^= met
                    their_low, their_high = add(their_low, their_high, ON_BAR)
        die, other = other, die
    return BackgammonState(
        their_low, their_high, own_low, own_high, 1 - seat, TO_ROLL, 0 if contact else 1
    )


@kernels.key.register(BackgammonState)
def _key(state: BackgammonState) -> Bits:
    about = np.uint64(state.seat + 2 * state.race + 4 * state.dice)
    mixed = mix(state.own_low ^ mix(state.own_high ^ mix(about)))
    return mix(mixed ^ mix(state.their_low ^ mix(state.their_high)))


@njit
def _list(state: BackgammonState, stack: Moves) -> int:
    return kernels.moves(state, stack, 0)


@njit
def _after(state: BackgammonState, move: int) -> BackgammonState:
    return kernels.play(state, move)  # type: ignore[no-any-return]


def legal(state: BackgammonState) -> tuple[int, ...]:
    """`kernels.moves`, compiled: a bot is told all of them at every turn."""
    stack = kernels.new_stack(MOST_MOVES)
    return tuple(stack[: _list(state, stack)].tolist())


def play(state: BackgammonState, move: int) -> BackgammonState:
    """`kernels.play`, compiled."""
    *words, seat, dice, race = _after(state, move)
    own_low, own_high, their_low, their_high = map(np.uint64, words)
    return BackgammonState(own_low, own_high, their_low, their_high, seat, dice, race)


def steps(move: int) -> list[tuple[int, int]]:
    """The steps of a turn in the order of play: the place, and the die."""
    large, small = move >> ROLLED + 3, move >> ROLLED & 7
    places = [move >> 5 * n & PLACE for n in range(4)]
    if large == small:
        return [(place, large) for place in places if place]
    taken = [(places[0], large), (places[1], small)]
    return [step for step in (taken[::-1] if move & SMALL_FIRST else taken) if step[0]]
