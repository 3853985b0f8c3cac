"""The radars of the tanks."""

from __future__ import annotations

import math
from typing import Any

from engines.compiling.jit import njit
from engines.games.tanks.fdlibm import atan2, hypot
from engines.games.tanks.geometry import (
    HALF_PI,
    HALF_SIZE,
    PI,
    RANGE,
    TWO_PI,
    relative,
    sector_meets_box,
)
from engines.games.tanks.inlining import inlined
from engines.games.tanks.layout import DEAD, SCANNED, World
from engines.games.tanks.messages import tell

_HALF_DIAGONAL = HALF_SIZE * math.sqrt(2)
_SLACK = 0.01
"""Radians; more than the error of `_rough_direction`, and than any rounding."""

_CLOSE = 4 * _HALF_DIAGONAL
_WIDEST = math.asin(_HALF_DIAGONAL / _CLOSE)
"""The largest angle in radians from the centre to a side of a box that is not close."""

_NEAR, _TOO_FAR = RANGE - _HALF_DIAGONAL - 1, RANGE + _HALF_DIAGONAL + 1
"""Within the first distance a whole box is in range; beyond the second, no part of it."""


@inlined
def _rough_direction(dx: float, dy: float) -> float:
    """The heading towards (dx, dy), to a thousandth of a radian."""
    across, along = abs(dx), abs(dy)
    swapped = across > along
    ratio = along / across if swapped else across / along
    square = ratio * ratio
    angle = ratio * (0.995354 + square * (-0.288679 + square * 0.079331))
    if swapped:
        angle = HALF_PI - angle
    if dy < 0:
        angle = PI - angle
    return angle if dx >= 0 else -angle


@inlined
def _sees(tank: Any, other: Any, sweep: float) -> bool:
    """Whether the sweep met the other's box; a rough check comes first."""
    dx = other.box_x + HALF_SIZE - tank.x
    dy = other.box_y + HALF_SIZE - tank.y
    square = dx * dx + dy * dy
    if square > _TOO_FAR * _TOO_FAR:
        return False
    if square > _CLOSE * _CLOSE:
        off = abs(relative(_rough_direction(dx, dy) - (tank.last_radar + sweep / 2)))
        half = abs(sweep) / 2
        if off > half + _WIDEST + _SLACK:
            return False
        if off < half - _SLACK and square < _NEAR * _NEAR:
            return True
    return sector_meets_box(tank.x, tank.y, tank.last_radar, sweep, other.box_x, other.box_y)


@inlined
def look(world: World, index: int) -> int:
    """Store in `Tank.seen` the tanks that the radar of tank `index` swept; returns their number."""
    tank = world.tanks[index]
    tank.seen = 0
    if tank.state == DEAD:
        return 0
    tank.swept_together = False
    if not tank.scanning:
        return 0
    tank.scanning = False
    tank.swept_together = tank.last_gun == tank.last_radar and tank.gun == tank.radar
    sweep = tank.radar - tank.last_radar
    if sweep < -PI:
        sweep = TWO_PI + sweep
    elif sweep > PI:
        sweep = sweep - TWO_PI
    count = 0
    for other in range(world.seats):
        seen = world.tanks[other]
        if other != index and seen.state != DEAD and _sees(tank, seen, sweep):
            tank.seen |= 1 << other
            count += 1
    return count


@njit
def report(world: World, index: int, other: int) -> None:
    """Send tank `index` a scan event of the other if it has seen it."""
    tank, seen = world.tanks[index], world.tanks[other]
    if (tank.seen >> other) & 1 == 0:
        return
    dx, dy = seen.x - tank.x, seen.y - tank.y
    event = tell(world, index, SCANNED)
    event.other = other
    event.energy = seen.energy
    event.bearing = relative(atan2(dx, dy) - tank.body)
    event.distance = hypot(dx, dy)
    event.heading = seen.body
    event.velocity = seen.velocity
