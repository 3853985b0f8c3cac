"""Pubeval, the public-domain player of Gerald Tesauro, by which backgammon programs are measured.

It is linear: one set of weights for positions with contact, one for races. Tesauro posted it to
rec.games.backgammon in 1993 for everybody's use, and OpenBSD's backgammon has the same numbers. A
row of weights belongs to one point, from point 24 of the side that has moved down to its point 1:
a blot of the other side; a blot of its own; two or more men; exactly three; half of the men beyond
three. The last row has half of the men of the other side on the bar, and the share of men borne
off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.compiling.bits import lowest
from engines.compiling.jit import jitable
from engines.games.backgammon.board import (
    BAR,
    INNER,
    MEN,
    NONE,
    ONE,
    BackgammonState,
    count,
    crowded,
    mirrored,
    occupied,
)

# fmt: off
CONTACT = (
    0.25696, -0.66937, -1.66135, -2.02487, -2.53398,
    -0.16092, -1.11725, -1.06654, -0.9283, -1.99558,
    -1.10388, -0.80802, 0.09856, -0.62086, -1.27999,
    -0.5922, -0.73667, 0.89032, -0.38933, -1.59847,
    -1.50197, -0.60966, 1.56166, -0.47389, -1.8039,
    -0.83425, -0.97741, -1.41371, 0.245, 0.1097,
    -1.36476, -1.05572, 1.1542, 0.11069, -0.38319,
    -0.74816, -0.59244, 0.81116, -0.39511, 0.11424,
    -0.73169, -0.56074, 1.09792, 0.15977, 0.13786,
    -1.18435, -0.43363, 1.06169, -0.21329, 0.04798,
    -0.94373, -0.22982, 1.22737, -0.13099, -0.06295,
    -0.75882, -0.13658, 1.78389, 0.30416, 0.36797,
    -0.69851, 0.13003, 1.2307, 0.40868, -0.21081,
    -0.64073, 0.31061, 1.59554, 0.65718, 0.25429,
    -0.80789, 0.0824, 1.78964, 0.54304, 0.41174,
    -1.06161, 0.07851, 2.01451, 0.49786, 0.91936,
    -0.9075, 0.05941, 1.8312, 0.58722, 1.28777,
    -0.83711, -0.33248, 2.64983, 0.52698, 0.82132,
    -0.58897, -1.18223, 3.35809, 0.62017, 0.57353,
    -0.07276, -0.36214, 4.37655, 0.45481, 0.21746,
    0.10504, -0.61977, 3.54001, 0.04612, -0.18108,
    0.63211, -0.87046, 2.47673, -0.48016, -1.27157,
    0.86505, -1.11342, 1.24612, -0.82385, -2.77082,
    1.23606, -1.59529, 0.10438, -1.30206, -4.1152,
    5.62596, -2.758,
)
RACE = (
    0.0, -0.1716, 0.2701, 0.29906, -0.08471,
    0.0, -1.40375, -1.05121, 0.07217, -0.01351,
    0.0, -1.29506, -2.16183, 0.13246, -1.03508,
    0.0, -2.29847, -2.34631, 0.17253, 0.08302,
    0.0, -1.27266, -2.87401, -0.07456, -0.3424,
    0.0, -1.3464, -2.46556, -0.13022, -0.01591,
    0.0, 0.27448, 0.60015, 0.48302, 0.25236,
    0.0, 0.39521, 0.68178, 0.05281, 0.09266,
    0.0, 0.24855, -0.06844, -0.37646, 0.05685,
    0.0, 0.17405, 0.0043, 0.74427, 0.00576,
    0.0, 0.12392, 0.31202, -0.91035, -0.1627,
    0.0, 0.01418, -0.10839, -0.02781, -0.88035,
    0.0, 1.07274, 2.00366, 1.16242, 0.2252,
    0.0, 0.85631, 1.06349, 1.49549, 0.18966,
    0.0, 0.37183, -0.50352, -0.14818, 0.12039,
    0.0, 0.13681, 0.13978, 1.11245, -0.12707,
    0.0, -0.22082, 0.20178, -0.06285, -0.52728,
    0.0, -0.13597, -0.19412, -0.09308, -1.26062,
    0.0, 3.05454, 5.16874, 1.5068, 5.35,
    0.0, 2.19605, 3.8539, 0.88296, 2.30052,
    0.0, 0.92321, 1.08744, -0.11696, -0.7856,
    0.0, -0.09795, -0.8305, -1.09167, -4.94251,
    0.0, -1.00316, -3.66465, -2.56906, -9.67677,
    0.0, -2.77982, -7.26713, -3.40177, -12.32252,
    0.0, 3.4204,
)
# fmt: on

FINISHED = 99_999_999.0
"""The value of having borne all men off."""

_EACH = 5
"""Weights of a point."""


def _of_own_men(weights: Sequence[float]) -> Any:
    """The worth of each number of own men on each point; row 0 is that of men borne off."""
    table = np.zeros((25, MEN + 1))
    for point in range(1, 25):
        row = weights[_EACH * (24 - point) : _EACH * (25 - point)]
        for men in range(1, MEN + 1):
            own = (men == 1, men >= 2, men == 3, (men - 3) / 2 if men >= 4 else 0)
            table[point, men] = sum(w * x for w, x in zip(row[1:], own, strict=True))
    table[0] = [weights[121] * men / MEN for men in range(MEN + 1)]
    return table


def _of_their_blots(weights: Sequence[float]) -> Any:
    """The worth of a blot of the other side on each point; place 0 is one man on its bar."""
    points = [weights[_EACH * (24 - point)] for point in range(1, 25)]
    return np.array([weights[120] / 2, *points])


_OWN = np.array([_of_own_men(CONTACT), _of_own_men(RACE)])
_THEIR = np.array([_of_their_blots(CONTACT), _of_their_blots(RACE)])


@jitable
def pubeval(state: BackgammonState) -> float:
    """The score for the side that has just moved; it plays the move with the highest one."""
    low, high = state.their_low, state.their_high
    if low | high == NONE:
        return FINISHED
    kind = state.race
    value = 0.0
    on_board = count(low, high, BAR)
    left = occupied(low, high) & INNER
    while left != NONE:
        point = lowest(left)
        left &= left - ONE
        men = count(low, high, point)
        on_board += men
        value += _OWN[kind, point, men]
    value += _OWN[kind, 0, MEN - on_board]
    low, high = state.own_low, state.own_high
    left = mirrored(occupied(low, high) & ~crowded(low, high) & INNER)
    while left != NONE:
        value += _THEIR[kind, lowest(left)]
        left &= left - ONE
    return float(value + _THEIR[kind, 0] * count(low, high, BAR))
