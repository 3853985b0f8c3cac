"""One tank's move: turning, speed, walls, ramming, the inactivity zap."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engines.compiling.jit import njit
from engines.games.tanks.energy import kill, lose_energy, score_ram, score_ram_kill, set_energy
from engines.games.tanks.fdlibm import atan2
from engines.games.tanks.geometry import (
    DEGREE,
    HALF_PI,
    HALF_SIZE,
    PI,
    THREE_HALF_PI,
    absolute,
    box_corner,
    boxes_overlap,
    near_absolute,
    relative,
)
from engines.games.tanks.inlining import inlined
from engines.games.tanks.layout import (
    ACTIVE,
    DEAD,
    HIT_BY_ROBOT,
    HIT_BY_WALL,
    HIT_ROBOT,
    HIT_WALL,
    World,
)
from engines.games.tanks.messages import tell
from engines.games.tanks.trigonometry import sin_cos

MAX_VELOCITY = 8.0
MAX_TURN = 10 * DEGREE
GUN_RATE = 20 * DEGREE
RADAR_RATE = 45 * DEGREE
RAM_DAMAGE = 0.6
ZAP = 0.1

SAFE_DISTANCE = 20.0
"""From top speed a tank stops in less: with more distance left, it need not brake yet."""


@inlined
def set_box(tank: Any) -> None:
    """Move the tank's box to the tank."""
    tank.box_x = box_corner(tank.x)
    tank.box_y = box_corner(tank.y)


@inlined
def _turn_step(remaining: float, rate: float) -> float:
    """The turn of a part in this turn; 0 if the remaining turn is NaN."""
    if remaining > 0:
        return remaining if remaining < rate else rate
    if remaining < 0:
        return remaining if remaining > -rate else -rate
    return 0.0


@inlined
def _turn_body(tank: Any) -> None:
    remaining = tank.turn
    # Only the heading of a body with an order is normalised.
    if remaining == 0 or math.isnan(remaining):
        return
    rate = min(tank.max_turn, (0.4 + 0.6 * (1 - (abs(tank.velocity) / MAX_VELOCITY))) * MAX_TURN)
    step = _turn_step(remaining, rate)
    tank.turn = 0.0 if abs(remaining) < rate else remaining - step
    tank.body += step
    tank.gun += step
    tank.radar += step
    if tank.adjust_gun:
        tank.gun_turn -= step
    if tank.adjust_radar_body:
        tank.radar_turn -= step
    tank.body = near_absolute(tank.body) if tank.turn == 0 else absolute(tank.body)


@inlined
def _turn_gun_and_radar(tank: Any) -> None:
    remaining = tank.gun_turn
    step = _turn_step(remaining, GUN_RATE)
    if step != 0:
        tank.gun_turn = 0.0 if abs(remaining) < GUN_RATE else remaining - step
        tank.gun += step
        tank.radar += step
        if tank.adjust_radar:
            tank.radar_turn -= step
    tank.gun = absolute(tank.gun)

    remaining = tank.radar_turn
    step = _turn_step(remaining, RADAR_RATE)
    if step != 0:
        tank.radar_turn = 0.0 if abs(remaining) < RADAR_RATE else remaining - step
        tank.radar += step
    tank.radar = absolute(tank.radar)


@njit
def _speed_to_stop_in(distance: float) -> float:
    """The highest speed from which a tank still stops within the distance."""
    turns = max(1.0, math.ceil((math.sqrt(4.0 * distance + 1) - 1) / 2))
    braking = (turns / 2.0) * (turns - 1) * 2.0
    return ((turns - 1) * 2.0) + ((distance - braking) / turns)


@inlined
def next_velocity(velocity: float, distance: float, limit: float) -> float:
    """The speed of the next turn: up by 1, down by 2, in time to stop after `distance`."""
    if distance < 0:
        return -next_velocity_ahead(-velocity, -distance, limit)
    return next_velocity_ahead(velocity, distance, limit)


@inlined
def next_velocity_ahead(velocity: float, distance: float, limit: float) -> float:
    goal = limit
    if distance < SAFE_DISTANCE:
        goal = min(_speed_to_stop_in(distance), limit)
    if velocity >= 0:
        return max(velocity - 2, min(goal, velocity + 1))
    # Rolling backwards: brake, and use the rest of the turn to accelerate.
    braking = -velocity / 2
    gain = min(1.0, braking) * 2 + max(0.0, 1 - braking)
    return max(velocity - 1, min(goal, velocity + gain))


@inlined
def _stopping_distance(velocity: float) -> float:
    velocity = abs(velocity)
    distance = 0.0
    while velocity > 0:
        velocity = max(velocity - 2, 0.0)
        distance += velocity
    return distance


@inlined
def _drive(tank: Any) -> None:
    distance = tank.distance
    if distance == 0 and tank.velocity == 0:
        tank.over = False
        return
    if math.isnan(distance):
        distance = 0.0
    velocity = next_velocity(tank.velocity, distance, tank.max_velocity)
    # A tank that could not stop in time stays at its stopping place.
    if tank.over and abs(velocity) < 0.00001:
        distance = 0.0
        tank.over = False
    if not distance * velocity < 0:
        far = abs(distance) >= SAFE_DISTANCE
        tank.over = not far and _stopping_distance(velocity) > abs(distance)
    tank.velocity = velocity
    tank.distance = distance - velocity
    if velocity != 0:
        sine, cosine = sin_cos(tank.body)
        tank.x += velocity * sine
        tank.y += velocity * cosine
        set_box(tank)


@inlined
def _inside(world: World, tank: Any) -> bool:
    right, top = world.width - HALF_SIZE, world.height - HALF_SIZE
    return bool(HALF_SIZE <= tank.x <= right and HALF_SIZE <= tank.y <= top)


@njit
def _hit_wall(world: World, index: int) -> None:
    tank = world.tanks[index]
    right, top = world.width - HALF_SIZE, world.height - HALF_SIZE
    # Only the first wall in this order counts.
    fix_x = fix_y = 0.0
    if tank.x < HALF_SIZE:
        fix_x, wall = HALF_SIZE - tank.x, THREE_HALF_PI
    elif tank.x > right:
        fix_x, wall = right - tank.x, HALF_PI
    elif tank.y < HALF_SIZE:
        fix_y, wall = HALF_SIZE - tank.y, PI
    else:
        fix_y, wall = top - tank.y, 0.0
    tell(world, index, HIT_BY_WALL).bearing = relative(wall - tank.body)

    if np.fmod(tank.body, HALF_PI) != 0:
        # At an angle, the tank moves back along its track.
        slope = math.tan(tank.body)
        if fix_x == 0:
            fix_x = fix_y * slope
        elif fix_y == 0:
            fix_y = fix_x / slope
    tank.x = max(HALF_SIZE, min(right, tank.x + fix_x))
    tank.y = max(HALF_SIZE, min(top, tank.y + fix_y))
    if tank.advanced:
        # It counts no activity, and does not kill.
        set_energy(tank, tank.energy - max(abs(tank.velocity) / 2 - 1, 0.0))
    set_box(tank)
    tank.distance = 0.0
    tank.velocity = 0.0
    tank.state = HIT_WALL


@njit
def _ram(world: World, index: int, other: int) -> None:
    """Tank `index` rams `other` if it was driving towards it."""
    tank, victim = world.tanks[index], world.tanks[other]
    angle = atan2(victim.x - tank.x, victim.y - tank.y)
    bearing = relative(angle - tank.body)
    ahead = -HALF_PI < bearing < HALF_PI
    behind = bearing < -HALF_PI or bearing > HALF_PI
    if not ((tank.velocity > 0 and ahead) or (tank.velocity < 0 and behind)):
        return
    tank.blocked = True
    sine, cosine = sin_cos(tank.body)
    tank.x -= tank.velocity * sine
    tank.y -= tank.velocity * cosine
    # The box stays behind (bug 414 of the engine): it moves again with the tank.
    tank.velocity = 0.0
    tank.distance = 0.0
    score_ram(world, index, other)
    lose_energy(world, tank, RAM_DAMAGE)
    lose_energy(world, victim, RAM_DAMAGE)
    if victim.energy == 0:
        kill(world, other)
        score_ram_kill(world, index, other)

    event = tell(world, index, HIT_BY_ROBOT)
    event.other = other
    event.bearing = bearing
    event.energy = victim.energy
    event.fault = True
    event = tell(world, other, HIT_BY_ROBOT)
    event.other = index
    event.bearing = relative(PI + angle - victim.body)
    event.energy = tank.energy
    event.fault = False


@njit
def check_tanks(world: World, index: int) -> None:
    """Let tank `index`, which has just moved, ram others, in the order of `other_tanks`."""
    tank = world.tanks[index]
    for place in range(world.seats):
        other = world.other_tanks[place]
        victim = world.tanks[other]
        if (
            other != index
            and victim.state != DEAD
            and boxes_overlap(tank.box_x, tank.box_y, victim.box_x, victim.box_y)
        ):
            _ram(world, index, other)
    if tank.blocked:
        tank.state = HIT_ROBOT


@njit
def zap(world: World, index: int) -> None:
    """The penalty for inactivity."""
    tank = world.tanks[index]
    if tank.energy == 0:
        kill(world, index)
        return
    tank.energy -= ZAP
    if tank.energy < ZAP:
        tank.energy = 0.0
        tank.distance = 0.0
        tank.turn = 0.0


@inlined
def move_tank(world: World, index: int, crowded: bool) -> None:
    """Move tank `index`; it is checked against the others only if some are near each other."""
    tank = world.tanks[index]
    tank.state = ACTIVE
    tank.heat = max(tank.heat - world.cooling, 0.0)
    body, x, y = tank.body, tank.x, tank.y
    tank.last_gun = tank.gun
    tank.last_radar = tank.radar
    if not tank.blocked:
        _turn_body(tank)
    _turn_gun_and_radar(tank)
    _drive(tank)
    if not _inside(world, tank):
        _hit_wall(world, index)
    tank.blocked = False
    if crowded:
        check_tanks(world, index)
    # A tank at rest scans only if it ordered a scan.
    if (
        body != tank.body
        or tank.last_gun != tank.gun
        or tank.last_radar != tank.radar
        or x != tank.x
        or y != tank.y
    ):
        tank.scanning = True
