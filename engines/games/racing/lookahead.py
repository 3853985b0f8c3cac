"""Where a car's way meets the road's shoulder: the terminals AH and AA of racing programs."""

from __future__ import annotations

import math
from typing import Any

from engines.compiling.jit import njit

FARTHEST = 4000.0
"""Feet that are looked ahead."""
_MOST_SEGMENTS = 4
"""As many as a driver of RARS is told about."""


@njit
def look(track: Any, car: Any) -> Any:
    """The distance to the shoulder along the car's velocity, and the shoulder's angle there.

    The angle is relative to the velocity, positive if the road turns left. Off the road both are 0.
    """
    if car.to_lft <= 0.0 or car.to_rgt <= 0.0 or car.v < 0.0001:
        return 0.0, 0.0
    east, north = car.xdot / car.v, car.ydot / car.v
    seg = car.seg
    begin = 0.0
    for _ in range(_MOST_SEGMENTS):
        segment = track.segments[seg]
        if segment.right == 0.0:
            hit, end = _straight(track, segment, car, east, north, begin)
        else:
            hit, end = _curve(segment, car, east, north, begin)
        if hit <= end:
            x, y = car.x + hit * east, car.y + hit * north
            wall = _heading(segment, x, y)
            return hit, math.atan2(
                math.sin(wall) * east - math.cos(wall) * north,
                math.cos(wall) * east + math.sin(wall) * north,
            )
        if end >= FARTHEST:
            break
        begin = end
        seg = (seg + 1) % track.count
    return FARTHEST, 0.0


@njit
def _straight(track: Any, segment: Any, car: Any, east: float, north: float, begin: float) -> Any:
    """How far the ray runs to a wall, and to the segment's end."""
    dx, dy = car.x - segment.x, car.y - segment.y
    along, across = dx * segment.cos + dy * segment.sin, dy * segment.cos - dx * segment.sin
    ahead, aside = (
        east * segment.cos + north * segment.sin,
        north * segment.cos - east * segment.sin,
    )
    hit = math.inf
    if aside > 0.0:
        hit = (track.width - across) / aside
    elif aside < 0.0:
        hit = -across / aside
    end = (segment.length - along) / ahead if ahead > 0.0 else math.inf
    return max(hit, begin), max(end, begin)


@njit
def _curve(segment: Any, car: Any, east: float, north: float, begin: float) -> Any:
    """The same in a curve: the walls are circles, the end is a line from the centre."""
    dx, dy = car.x - segment.centre_x, car.y - segment.centre_y
    inner, outer = abs(segment.left), abs(segment.right)
    if inner > outer:
        inner, outer = outer, inner
    half = dx * east + dy * north
    square = dx * dx + dy * dy
    hit = -half + math.sqrt(max(half * half - square + outer * outer, 0.0))
    depth = half * half - square + inner * inner
    if depth > 0.0:
        first = -half - math.sqrt(depth)
        # Rounding may put the ray's start on the wall that it has just left.
        if first > begin - 0.001:
            hit = min(hit, first)
    # The end's line: its direction from the centre, and where the ray crosses it.
    if segment.left > 0.0:
        end_x, end_y = math.sin(segment.end), -math.cos(segment.end)
    else:
        end_x, end_y = -math.sin(segment.end), math.cos(segment.end)
    slant = east * end_y - north * end_x
    end = math.inf
    if slant != 0.0:
        way = (end_x * dy - end_y * dx) / slant
        x, y = dx + way * east, dy + way * north
        if way > begin - 0.001 and x * end_x + y * end_y > 0.0:
            end = way
    return max(hit, begin), max(end, begin)


@njit
def _heading(segment: Any, x: float, y: float) -> float:
    """The direction of the road at a place."""
    if segment.right == 0.0:
        return float(segment.begin)
    angle = math.atan2(y - segment.centre_y, x - segment.centre_x)
    return angle + math.pi / 2.0 if segment.left > 0.0 else angle - math.pi / 2.0
