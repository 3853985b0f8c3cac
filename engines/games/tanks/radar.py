"""What the tanks see."""

from __future__ import annotations

from typing import Any

from engines.games.tanks.fdlibm import atan2, hypot
from engines.games.tanks.geometry import PI, TWO_PI, relative, sector_meets_box
from engines.games.tanks.layout import DEAD, SCANNED, World
from engines.games.tanks.messages import tell
from engines.jit import njit


@njit
def _report(world: World, index: int, other: int) -> None:
    tank, seen = world.tanks[index], world.tanks[other]
    dx, dy = seen.x - tank.x, seen.y - tank.y
    event = tell(world, index, SCANNED)
    event.other = other
    event.energy = seen.energy
    event.bearing = relative(atan2(dx, dy) - tank.body)
    event.distance = hypot(dx, dy)
    event.heading = seen.body
    event.velocity = seen.velocity


@njit
def scan(world: World, index: int, order: Any) -> None:
    """Tank `index` looks at the others, in the given order, where its radar has swept."""
    tank = world.tanks[index]
    if tank.state == DEAD:
        return
    tank.swept_together = False
    if not tank.scanning:
        return
    tank.scanning = False
    sweep = tank.radar - tank.last_radar
    if sweep < -PI:
        sweep = TWO_PI + sweep
    elif sweep > PI:
        sweep = sweep - TWO_PI
    for other in order[: len(world.tanks)]:
        seen = world.tanks[other]
        if (
            other != index
            and seen.state != DEAD
            and sector_meets_box(
                tank.x, tank.y, tank.last_radar, sweep, seen.box_x, seen.box_y
            )
        ):
            _report(world, index, other)
    tank.swept_together = tank.last_gun == tank.last_radar and tank.gun == tank.radar
