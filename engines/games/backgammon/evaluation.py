"""The evaluations of the house bots, from the race of pips to Pubeval.

The side that has just moved chooses by them, so each values the board for that side; the search
wants the value for the other, who rolls next.
"""

from __future__ import annotations

import numpy as np

from engines.alphabeta import kernels
from engines.alphabeta.search import DECIDED
from engines.compiling.bits import popcount
from engines.compiling.jit import jitable
from engines.games.backgammon.board import (
    BAR,
    INNER,
    NONE,
    BackgammonState,
    count,
    crowded,
    mirrored,
    occupied,
    touches,
)
from engines.games.backgammon.features import hit_chances, pips
from engines.games.backgammon.pubeval import pubeval

EVALUATIONS = PUBEVAL, PIPS, CAUTIOUS, BUILDER, BOTH = range(5)
"""Pubeval; the difference of the pip counts; the same with the risk of blots; and with points;
Pubeval of the one side less that of the other, for searches that look beyond one move."""

PUBEVAL_SCALE = 8192
"""Scores of Pubeval are between about -60 and 30: whole numbers below `DECIDED`, and finer than the
differences that its own arithmetic can tell."""

_HOME = np.uint64(0x7E)
_BLOCKS = np.uint64(0x7F0)
"""Points 4 to 10: a row of own points there is hard to pass."""


@jitable
def _cautious(state: BackgammonState) -> float:
    """The pip lead after the likely loss by hits."""
    lead = pips(state.own_low, state.own_high) - pips(state.their_low, state.their_high)
    own = occupied(state.their_low, state.their_high)
    points = crowded(state.their_low, state.their_high)
    enemies = mirrored(occupied(state.own_low, state.own_high))
    if not touches(own, occupied(state.own_low, state.own_high)):
        return float(lead)
    # The bar of the side that rolls is place 0 here.
    risk = hit_chances(own & ~points & INNER, enemies, INNER & ~points)
    return lead - 16.0 * risk


@jitable
def _builder(state: BackgammonState) -> float:
    """As `_cautious`, with the worth of points made, and of men that wait on the bar."""
    value = _cautious(state)
    own = occupied(state.their_low, state.their_high)
    if not touches(own, occupied(state.own_low, state.own_high)):
        return value
    points = crowded(state.their_low, state.their_high)
    home = popcount(points & _HOME)
    value += 3.0 * home + 3.0 * popcount(points & _BLOCKS)
    value += 4.0 * popcount(points & points >> np.uint64(1) & _BLOCKS)
    anchors = points & mirrored(_HOME)
    value += 6.0 if anchors != NONE else 0.0
    return value + (2.0 + 2.5 * home) * count(state.own_low, state.own_high, BAR)


@jitable
def _swapped(state: BackgammonState) -> BackgammonState:
    """The same position as if the other side had just moved."""
    return BackgammonState(
        state.their_low,
        state.their_high,
        state.own_low,
        state.own_high,
        1 - state.seat,
        state.dice,
        state.race,
    )


@kernels.evaluate.register(BackgammonState)
def _evaluate(state: BackgammonState, evaluation: int) -> int:
    if evaluation == PUBEVAL:
        value = pubeval(state) * PUBEVAL_SCALE
    elif evaluation == BOTH:
        value = (pubeval(state) - pubeval(_swapped(state))) * PUBEVAL_SCALE
    elif evaluation == PIPS:
        value = float(pips(state.own_low, state.own_high) - pips(state.their_low, state.their_high))
    elif evaluation == CAUTIOUS:
        value = 100 * _cautious(state)
    else:
        value = 100 * _builder(state)
    most = float(DECIDED - 1)
    return -round(min(max(value, -most), most))
