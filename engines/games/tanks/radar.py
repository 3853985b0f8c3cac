"""What the tanks see."""

from __future__ import annotations

import math
from typing import Any

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
from engines.games.tanks.layout import DEAD, SCANNED, World
from engines.games.tanks.messages import tell
from engines.jit import njit

_HALF_DIAGONAL = HALF_SIZE * math.sqrt(2)
_SLACK = 0.01
"""Radians; more than the error of `_rough_direction`, and than any rounding."""


@njit
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


@njit
def _sees(tank: Any, other: Any, sweep: float) -> bool:
    """Whether the sweep met the other's box: at a rough look if that is enough to tell."""
    dx = other.box_x + HALF_SIZE - tank.x
    dy = other.box_y + HALF_SIZE - tank.y
    distance = math.sqrt(dx * dx + dy * dy)
    if distance > RANGE + _HALF_DIAGONAL + 1:
        return False
    if distance > 2 * _HALF_DIAGONAL:
        middle = tank.last_radar + sweep / 2
        off = abs(relative(_rough_direction(dx, dy) - middle))
        half = abs(sweep) / 2
        # At this distance the arcsine is at most a tenth more than its argument.
        if off > half + 1.1 * _HALF_DIAGONAL / distance + _SLACK:
            return False
        if off < half - _SLACK and distance < RANGE - _HALF_DIAGONAL - 1:
            return True
    return sector_meets_box(tank.x, tank.y, tank.last_radar, sweep, other.box_x, other.box_y)


@njit
def look(world: World, index: int) -> int:
    """Note in `Tank.seen` what the radar of tank `index` has swept over, and count it."""
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
    """Tell tank `index` about the other if it has seen it."""
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
