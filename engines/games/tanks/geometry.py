"""Angles, boxes and sectors, with the arithmetic of the engine and of `java.awt.geom`.

Pure functions of numbers. Shortcuts give exactly the same bits as the full computation.
"""

from __future__ import annotations

import math

import numpy as np

from engines.compiling.jit import njit
from engines.games.tanks.fdlibm import atan2
from engines.games.tanks.inlining import inlined
from engines.games.tanks.trigonometry import sin_cos

PI = math.pi
TWO_PI = 2 * math.pi
HALF_PI = math.pi / 2
THREE_HALF_PI = 3 * math.pi / 2

DEGREE = 0.017453292519943295
"""Java 17 converts degrees by this factor."""
PER_DEGREE = 57.29577951308232

NEAR = 0.00001
"""Closer numbers count as equal if the rules say "near"."""

SIZE = 36.0
HALF_SIZE = 18.0


@inlined
def _remainder(angle: float, circle: float) -> float:
    """C's remainder; for nearly all angles, within two circles, it needs no division."""
    if -circle < angle < circle:
        return angle
    if circle <= angle < 2 * circle:
        return angle - circle
    if math.isinf(angle):
        return math.nan
    return float(np.fmod(angle, circle))


@inlined
def absolute(angle: float) -> float:
    """The same direction in [0, 2 pi)."""
    angle = _remainder(angle, TWO_PI)
    return angle if angle >= 0 else angle + TWO_PI


@inlined
def relative(angle: float) -> float:
    """The same direction in [-pi, pi)."""
    angle = _remainder(angle, TWO_PI)
    if angle >= 0:
        return angle if angle < PI else angle - TWO_PI
    return angle if angle >= -PI else angle + TWO_PI


@njit
def relative_degrees(angle: float) -> float:
    """The same direction in [-180, 180) degrees."""
    angle = _remainder(angle, 360.0)
    if angle >= 0:
        return angle if angle < 180 else angle - 360
    return angle if angle >= -180 else angle + 360


@inlined
def near_absolute(angle: float) -> float:
    """Like `absolute`, but snapped to a near multiple of 90 degrees."""
    angle = absolute(angle)
    if abs(angle - PI) < NEAR:
        return PI
    if angle < PI:
        if abs(angle) < NEAR:
            return 0.0
        if abs(angle - HALF_PI) < NEAR:
            return HALF_PI
    elif abs(angle - THREE_HALF_PI) < NEAR:
        return THREE_HALF_PI
    elif abs(angle - TWO_PI) < NEAR:
        return 0.0
    return angle


@inlined
def box_corner(centre: float) -> float:
    """The low edge of a tank's box, which the engine keeps in single precision."""
    return float(np.float32(centre - HALF_SIZE))


@njit
def boxes_overlap(x: float, y: float, other_x: float, other_y: float) -> bool:
    """Whether two tank boxes, given by their low corners, share more than an edge."""
    return other_x + SIZE > x and other_y + SIZE > y and other_x < x + SIZE and other_y < y + SIZE


@njit
def in_box(x: float, y: float, box_x: float, box_y: float) -> bool:
    """Whether the point is in the box, which includes only its left and lower edges."""
    return box_x <= x < box_x + SIZE and box_y <= y < box_y + SIZE


_LEFT, _LOW, _RIGHT, _HIGH = 1, 2, 4, 8


@njit
def _sides(x: float, y: float, box_x: float, box_y: float) -> int:
    """The sides of the closed box beyond which the point lies."""
    sides = 0
    if x < box_x:
        sides |= _LEFT
    elif x > box_x + SIZE:
        sides |= _RIGHT
    if y < box_y:
        sides |= _LOW
    elif y > box_y + SIZE:
        sides |= _HIGH
    return sides


@njit
def segment_meets_box(
    x: float, y: float, end_x: float, end_y: float, box_x: float, box_y: float
) -> bool:
    """Cohen-Sutherland clipping of a segment against a closed tank box."""
    end_sides = _sides(end_x, end_y, box_x, box_y)
    if end_sides == 0:
        return True
    while True:
        sides = _sides(x, y, box_x, box_y)
        if sides == 0:
            return True
        if sides & end_sides:
            return False
        if sides & (_LEFT | _RIGHT):
            edge = box_x + SIZE if sides & _RIGHT else box_x
            y = y + (edge - x) * (end_y - y) / (end_x - x)
            x = edge
        else:
            edge = box_y + SIZE if sides & _HIGH else box_y
            x = x + (edge - y) * (end_x - x) / (end_y - y)
            y = edge


@njit
def segments_cross(
    x1: float, y1: float, x2: float, y2: float, x3: float, y3: float, x4: float, y4: float
) -> bool:
    """Whether segment 1-2 meets segment 3-4; parallel ones never meet, even on one line."""
    dx13, dx21, dx43 = x1 - x3, x2 - x1, x4 - x3
    dy13, dy21, dy43 = y1 - y3, y2 - y1, y4 - y3
    divisor = dy43 * dx21 - dx43 * dy21
    if divisor == 0:
        return False
    first = (dx43 * dy13 - dy43 * dx13) / divisor
    second = (dx21 * dy13 - dy21 * dx13) / divisor
    return 0 <= first <= 1 and 0 <= second <= 1


@njit
def _plain_degrees(angle: float) -> float:
    """The same direction in (-180, 180] degrees, for angles of at most two circles."""
    if angle > 180:
        return angle - 360
    if angle <= -180:
        return angle + 360
    return angle


@njit
def _in_extent(angle: float, start: float, extent: float) -> bool:
    """Whether a direction lies in an arc that begins at `start`; all in degrees."""
    angle = _plain_degrees(angle) - _plain_degrees(start)
    if extent < 0:
        angle, extent = -angle, -extent
    if angle < 0:
        angle += 360
    return 0 <= angle < extent


RANGE = 1200.0
_FRAME = 2 * RANGE


@njit
def _in_sector(
    x: float, y: float, frame_x: float, frame_y: float, start: float, extent: float
) -> bool:
    across = (x - frame_x) / _FRAME - 0.5
    along = (y - frame_y) / _FRAME - 0.5
    if across * across + along * along >= 0.25:
        return False
    return _in_extent(-(atan2(along, across) * PER_DEGREE), start, extent)


@njit
def _sector_bulges_into(
    frame_x: float,
    frame_y: float,
    points: tuple[float, float, float, float],
    start: float,
    extent: float,
    box_x: float,
    box_y: float,
) -> bool:
    """Whether the round edge reaches into the box along one of the axes."""
    start_x, start_y, end_x, end_y = points
    centre_x, centre_y = frame_x + RANGE, frame_y + RANGE
    far_x, far_y = frame_x + _FRAME, frame_y + _FRAME
    right, high = box_x + SIZE, box_y + SIZE
    if box_y <= centre_y <= high and (
        (
            (start_x < right and end_x < right and centre_x < right and far_x > box_x)
            and _in_extent(0.0, start, extent)
        )
        or (
            (start_x > box_x and end_x > box_x and centre_x > box_x and frame_x < right)
            and _in_extent(180.0, start, extent)
        )
    ):
        return True
    return box_x <= centre_x <= right and (
        (
            (start_y > box_y and end_y > box_y and centre_y > box_y and frame_y < high)
            and _in_extent(90.0, start, extent)
        )
        or (
            (start_y < high and end_y < high and centre_y < high and far_y > box_y)
            and _in_extent(270.0, start, extent)
        )
    )


@njit
def sector_meets_box(
    x: float, y: float, before: float, sweep: float, box_x: float, box_y: float
) -> bool:
    """Whether a radar at (x, y) that swept from `before` by `sweep` sees the box.

    Equals `Arc2D.intersects` of a pie, in its coordinates: degrees, with the y axis downwards, so
    both angles turn the other way.
    """
    start = 180.0 * absolute(before - HALF_PI) / PI
    extent = 180.0 * sweep / PI
    frame_x, frame_y = x - RANGE, y - RANGE
    centre_x, centre_y = frame_x + RANGE, frame_y + RANGE
    sine, cosine = sin_cos(-start * DEGREE)
    start_x = frame_x + (cosine * 0.5 + 0.5) * _FRAME
    start_y = frame_y + (sine * 0.5 + 0.5) * _FRAME
    if segment_meets_box(centre_x, centre_y, start_x, start_y, box_x, box_y):
        return True
    if extent == 0:
        return False
    far_x, far_y = frame_x + _FRAME, frame_y + _FRAME
    right, high = box_x + SIZE, box_y + SIZE
    if box_x >= far_x or box_y >= far_y or right <= frame_x or high <= frame_y:
        return False
    sine, cosine = sin_cos((-start - extent) * DEGREE)
    end_x = frame_x + (cosine * 0.5 + 0.5) * _FRAME
    end_y = frame_y + (sine * 0.5 + 0.5) * _FRAME
    points = (start_x, start_y, end_x, end_y)
    return (
        _sector_bulges_into(frame_x, frame_y, points, start, extent, box_x, box_y)
        or segment_meets_box(centre_x, centre_y, end_x, end_y, box_x, box_y)
        or _in_sector(box_x, box_y, frame_x, frame_y, start, extent)
        or _in_sector(right, box_y, frame_x, frame_y, start, extent)
        or _in_sector(box_x, high, frame_x, frame_y, start, extent)
        or _in_sector(right, high, frame_x, frame_y, start, extent)
    )
