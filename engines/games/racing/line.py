"""The ideal line of a track: the way with the least curvature, and how fast a car can follow it.

A planner reads the track before the race. The line is a lateral offset per station, a few feet
apart along the middle; stations are moved again and again to where the curvature changes evenly
(the idea of Coulom's K1999). The speeds follow from the friction in curves, backwards from braking
and forwards from the engine's power.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from engines.compiling.jit import njit
from engines.games.racing.physics import DRAG, EMPTY_MASS, GRAVITY, MAX_POWER
from engines.games.racing.tracks import load

SPACING = 12.0
"""Feet between stations."""
_ROUNDS = 60
_MARGIN, _OUTSIDE = 7.0, 9.0
"""Feet that stay between the middle of the car and the inner and the outer wall."""
_GRIP = 0.97
"""Used coefficient of friction."""
_BRAKE_GRIP = 0.85


@cache
def ideal_line(name: str) -> Any:
    """The stations of a track: distance from the left wall, curvature and speed."""
    return plan(load(name))


@njit
def plan(tracks: Any) -> Any:
    """The line of a track."""
    track = tracks[0]
    count = int(track.length / SPACING)
    spacing = track.length / count
    ground = _stations(track, count, spacing)
    line = np.zeros((count, 3))
    line[:, 0] = track.width / 2.0
    step = 64
    while step >= 1:
        for _ in range(_ROUNDS * int(math.sqrt(step))):
            _smooth(ground, line, step, track.width)
        _fill(line, step)
        step //= 2
    _bend(ground, line)
    _speed_up(ground, line)
    return line


@njit
def _stations(track: Any, count: int, spacing: float) -> Any:
    """The left wall's place and the direction to the right, at equal distances along the middle.

    Station 0 lies on the finish line.
    """
    ground = np.zeros((count, 4))
    seg = 0
    for place in range(count):
        at = place * spacing
        while seg < track.count - 1 and track.segments[seg].distance < at:
            seg += 1
        # The last part of the way is the begin of segment 0, before the line.
        inside = seg
        begin = -track.line if seg == 0 else track.segments[seg - 1].distance
        if at > track.segments[track.count - 1].distance:
            inside, begin = 0, track.length - track.line
        segment = track.segments[inside]
        if segment.right == 0.0:
            heading = segment.begin
            x = segment.left_x + (at - begin) * segment.cos
            y = segment.left_y + (at - begin) * segment.sin
        else:
            middle = (segment.left + segment.right) / 2.0
            heading = segment.begin + (at - begin) / middle
            x = segment.centre_x + segment.left * math.sin(heading)
            y = segment.centre_y - segment.left * math.cos(heading)
        ground[place, 0], ground[place, 1] = x, y
        ground[place, 2], ground[place, 3] = math.sin(heading), -math.cos(heading)
    return ground


@njit
def _point(ground: Any, line: Any, place: int) -> Any:
    return (
        ground[place, 0] + line[place, 0] * ground[place, 2],
        ground[place, 1] + line[place, 0] * ground[place, 3],
    )


@njit
def _bend_of(x0: float, y0: float, x1: float, y1: float, x2: float, y2: float) -> float:
    """The curvature of the circle through three points; left turns are positive."""
    ax, ay, bx, by = x1 - x0, y1 - y0, x2 - x1, y2 - y1
    cross = ax * by - ay * bx
    sides = (ax * ax + ay * ay) * (bx * bx + by * by)
    sides *= (x2 - x0) * (x2 - x0) + (y2 - y0) * (y2 - y0)
    return 2.0 * cross / math.sqrt(sides) if sides > 0.0 else 0.0


@njit
def _smooth(ground: Any, line: Any, step: int, width: float) -> None:
    """Move every station of a step to the mean curvature of its neighbours."""
    count = len(line)
    stops = count // step
    for number in range(stops):
        here = number * step
        far_before, before = ((number - 2) % stops) * step, ((number - 1) % stops) * step
        after, far_after = ((number + 1) % stops) * step, ((number + 2) % stops) * step
        x0, y0 = _point(ground, line, far_before)
        x1, y1 = _point(ground, line, before)
        x, y = _point(ground, line, here)
        x3, y3 = _point(ground, line, after)
        x4, y4 = _point(ground, line, far_after)
        first = _bend_of(x0, y0, x1, y1, x, y)
        second = _bend_of(x, y, x3, y3, x4, y4)
        way = math.sqrt((x - x1) ** 2 + (y - y1) ** 2)
        rest = math.sqrt((x3 - x) ** 2 + (y3 - y) ** 2)
        wanted = (rest * first + way * second) / (way + rest)
        _move(ground, line, here, wanted, x1, y1, x3, y3, width)


@njit
def _move(
    ground: Any,
    line: Any,
    here: int,
    wanted: float,
    x1: float,
    y1: float,
    x3: float,
    y3: float,
    width: float,
) -> None:
    """Put a station where the circle through its neighbours has the wanted curvature."""
    # First onto the chord of the neighbours, then aside by what a small step changes.
    dx, dy = x3 - x1, y3 - y1
    gx, gy, rx, ry = ground[here, 0], ground[here, 1], ground[here, 2], ground[here, 3]
    slant = rx * dy - ry * dx
    if slant == 0.0:
        return
    lane = ((x1 - gx) * dy - (y1 - gy) * dx) / slant
    side = lane + 0.1
    bend = _bend_of(x1, y1, gx + side * rx, gy + side * ry, x3, y3)
    if bend != 0.0:
        lane += 0.1 * wanted / bend
    low, high = _MARGIN, width - _MARGIN
    # The outer wall of a curve needs more room than the inner one.
    if wanted > 0.0:
        high = width - _OUTSIDE
    else:
        low = _OUTSIDE
    line[here, 0] = min(max(lane, low), high)


@njit
def _fill(line: Any, step: int) -> None:
    """Put the stations between two of a step on straight lines."""
    count = len(line)
    stops = count // step
    for number in range(stops):
        here = number * step
        after = (number + 1) * step if number + 1 < stops else count
        end = line[after % count, 0]
        for place in range(here + 1, after):
            part = (place - here) / (after - here)
            line[place, 0] = (1.0 - part) * line[here, 0] + part * end


@njit
def _bend(ground: Any, line: Any) -> None:
    count = len(line)
    for place in range(count):
        x0, y0 = _point(ground, line, (place - 2) % count)
        x1, y1 = _point(ground, line, place)
        x2, y2 = _point(ground, line, (place + 2) % count)
        line[place, 1] = _bend_of(x0, y0, x1, y1, x2, y2)


@njit
def _speed_up(ground: Any, line: Any) -> None:
    """The speeds: limited by curves, then by brakes before them, then by power after them."""
    count = len(line)
    mass = EMPTY_MASS + 150.0 / GRAVITY
    for place in range(count):
        bend = max(abs(line[place, 1]), 1e-6)
        line[place, 2] = min(math.sqrt(_GRIP * GRAVITY / bend), 300.0)
    for turn in range(2 * count - 1, -1, -1):
        place, after = turn % count, (turn + 1) % count
        v = line[after, 2]
        free = _left(v, line[after, 1], _BRAKE_GRIP) + DRAG * v * v / mass
        line[place, 2] = min(
            line[place, 2], math.sqrt(v * v + 2.0 * free * _gap(ground, line, place))
        )
    for turn in range(2 * count):
        place, after = turn % count, (turn + 1) % count
        v = line[place, 2]
        push = min(_left(v, line[place, 1], _GRIP), 0.95 * MAX_POWER / (mass * max(v, 1.0)))
        push -= DRAG * v * v / mass
        fast = v * v + 2.0 * push * _gap(ground, line, place)
        line[after, 2] = min(line[after, 2], math.sqrt(max(fast, 0.0)))


@njit
def _left(v: float, bend: float, grip: float) -> float:
    """The acceleration along the line that the curve leaves."""
    most = grip * GRAVITY
    normal = v * v * abs(bend)
    return math.sqrt(max(most * most - normal * normal, 0.0))


@njit
def _gap(ground: Any, line: Any, place: int) -> float:
    after = (place + 1) % len(line)
    x1, y1 = _point(ground, line, place)
    x2, y2 = _point(ground, line, after)
    return math.sqrt((x2 - x1) ** 2 + (y2 - y1) ** 2)
