"""The house bots that fire at scanned robots, call by call."""

from __future__ import annotations

import math
from typing import Any

from engines.compiling.jit import njit
from engines.games.tanks.geometry import DEGREE, PER_DEGREE, relative_degrees
from engines.games.tanks.layout import (
    CUSTOM,
    HIT_BY_BULLET,
    HIT_BY_ROBOT,
    HIT_BY_WALL,
    RUN,
    SCANNED,
    WIN,
    World,
)
from engines.games.tanks.mind import (
    DONE,
    ahead,
    degrees,
    fire,
    heading,
    rescan,
    tick,
    turn_gun_right,
    turn_right,
    wait_for_turn,
)
from engines.games.tanks.orders import set_max_velocity, set_move, set_turn


@njit
def sitting_duck(frame: Any) -> int:
    """Does nothing."""
    return tick(frame) if frame.kind == RUN else DONE


@njit
def target(world: World, index: int, frame: Any) -> int:
    """Moves away after every 20 points of lost energy."""
    mind, tank = world.minds[index], world.tanks[index]
    if frame.kind == RUN:
        if frame.step == 0:
            mind.trigger = 80
            mind.watching = True
        return tick(frame)
    if frame.kind == CUSTOM:
        if frame.step == 0:
            mind.trigger -= 20
            return turn_right(tank, frame, -65.0)
        if frame.step == 1:
            return ahead(tank, frame, 100.0)
    return DONE


@njit
def fire_bot(world: World, index: int, frame: Any) -> int:
    """Sits still with a turning gun; moves aside when hit."""
    mind, tank = world.minds[index], world.tanks[index]
    if frame.kind == RUN:
        if frame.step == 0:
            mind.value = 50.0
        return turn_gun_right(tank, frame, 5.0)
    if frame.kind == SCANNED:
        if frame.step == 0:
            close = frame.distance < 50 and tank.energy > 50
            return fire(world, tank, frame, 3.0 if close else 1.0)
        if frame.step == 1:
            return rescan(mind, tank, frame)
    elif frame.kind == HIT_BY_BULLET:
        if frame.step == 0:
            across = 90 - (heading(tank) - frame.heading * PER_DEGREE)
            return turn_right(tank, frame, relative_degrees(across))
        if frame.step == 1:
            return ahead(tank, frame, mind.value)
        if frame.step == 2:
            mind.value = -mind.value
            return rescan(mind, tank, frame)
    elif frame.kind == HIT_BY_ROBOT:
        if frame.step == 0:
            aim = frame.bearing + heading(tank) - degrees(tank.gun)
            return turn_gun_right(tank, frame, relative_degrees(aim))
        if frame.step == 1:
            return fire(world, tank, frame, 3.0)
    return DONE


@njit
def my_first_robot(world: World, index: int, frame: Any) -> int:
    """Goes back and forth, spinning its gun at each end."""
    tank = world.tanks[index]
    if frame.kind == RUN:
        phase = frame.step % 4
        if phase == 0:
            return ahead(tank, frame, 100.0)
        if phase == 2:
            return ahead(tank, frame, -100.0)
        return turn_gun_right(tank, frame, 360.0)
    if frame.kind == SCANNED and frame.step == 0:
        return fire(world, tank, frame, 1.0)
    if frame.kind == HIT_BY_BULLET and frame.step == 0:
        return turn_right(tank, frame, -(90 - frame.bearing))
    return DONE


@njit
def ram_fire(world: World, index: int, frame: Any) -> int:
    """Drives at scanned robots, and fires at robots that it has hit."""
    mind, tank = world.minds[index], world.tanks[index]
    if frame.kind == RUN:
        if frame.step == 0:
            mind.value = 1.0
        return turn_right(tank, frame, 5 * mind.value)
    if frame.kind != SCANNED and frame.kind != HIT_BY_ROBOT:
        return DONE
    if frame.step == 0:
        mind.value = 1.0 if frame.bearing >= 0 else -1.0
        return turn_right(tank, frame, frame.bearing)
    if frame.kind == SCANNED:
        if frame.step == 1:
            return ahead(tank, frame, frame.distance + 5)
        return rescan(mind, tank, frame) if frame.step == 2 else DONE
    if frame.step == 1:
        # Too weak to kill: ramming for the rest scores more.
        if frame.energy > 0.4:
            return fire(world, tank, frame, _short_of_killing(frame.energy))
        frame.step = 2
    return ahead(tank, frame, 40.0) if frame.step == 2 else DONE


@njit
def _short_of_killing(energy: float) -> float:
    if energy > 16:
        return 3.0
    if energy > 10:
        return 2.0
    if energy > 4:
        return 1.0
    return 0.5 if energy > 2 else 0.1


@njit
def spin_bot(world: World, index: int, frame: Any) -> int:
    """Drives in circles and fires hard."""
    tank = world.tanks[index]
    if frame.kind == RUN:
        set_turn(tank, 10000 * DEGREE)
        set_max_velocity(tank, 5.0)
        return ahead(tank, frame, 10000.0)
    if frame.kind == SCANNED and frame.step == 0:
        return fire(world, tank, frame, 3.0)
    if frame.kind == HIT_BY_ROBOT:
        if frame.step == 0:
            if -10 < frame.bearing < 10:
                return fire(world, tank, frame, 3.0)
            frame.step = 1
        if frame.step == 1 and frame.fault:
            return turn_right(tank, frame, 10.0)
    return DONE


_FAR = 40000.0


@njit
def _reverse(mind: Any, tank: Any) -> int:
    set_move(tank, -_FAR if mind.flag else _FAR)
    mind.flag = not mind.flag
    return DONE


@njit
def crazy(world: World, index: int, frame: Any) -> int:
    """Drives in curves, and turns back when it hits something."""
    mind, tank = world.minds[index], world.tanks[index]
    if frame.kind == RUN:
        phase = frame.step % 3
        if phase == 0:
            set_move(tank, _FAR)
            mind.flag = True
            set_turn(tank, 90 * DEGREE)
        else:
            set_turn(tank, -(180 * DEGREE) if phase == 1 else 180 * DEGREE)
        return wait_for_turn(mind, frame)
    if frame.kind == SCANNED and frame.step == 0:
        return fire(world, tank, frame, 1.0)
    if frame.kind == HIT_BY_WALL or (frame.kind == HIT_BY_ROBOT and frame.fault):
        return _reverse(mind, tank)
    return DONE


@njit
def track_fire(world: World, index: int, frame: Any) -> int:
    """Sits still, and keeps its gun on a found robot."""
    mind, tank = world.minds[index], world.tanks[index]
    if frame.kind == RUN:
        return turn_gun_right(tank, frame, 10.0)
    if frame.kind == WIN and frame.step == 0:
        return turn_right(tank, frame, 36000.0)
    if frame.kind != SCANNED:
        return DONE
    if frame.step == 0:
        frame.value = relative_degrees(heading(tank) + frame.bearing - degrees(tank.gun))
        return turn_gun_right(tank, frame, frame.value)
    if frame.step == 1:
        if abs(frame.value) <= 3 and tank.heat == 0:
            return fire(world, tank, frame, min(3 - abs(frame.value), tank.energy - 0.1))
        frame.step = 2
    if frame.step == 2 and frame.value == 0:
        return rescan(mind, tank, frame)
    return DONE


@njit
def veloci_robot(world: World, index: int, frame: Any) -> int:
    """Sets speeds instead of distances: back and forth, turning when hit."""
    mind, tank = world.minds[index], world.tanks[index]
    if frame.kind == RUN:
        if mind.count % 64 == 0:
            mind.turn_rate = 0.0
            mind.speed = 4.0
        elif mind.count % 64 == 32:
            mind.speed = -6.0
        mind.count += 1
        set_max_velocity(tank, mind.speed)
        set_move(tank, math.copysign(math.inf, mind.speed))
        tank.gun_turn = 15 * DEGREE
        tank.radar_turn = 0.0
        set_turn(tank, mind.turn_rate)
        return tick(frame)
    if frame.kind == SCANNED and frame.step == 0:
        return fire(world, tank, frame, 1.0)
    if frame.kind == HIT_BY_BULLET:
        mind.turn_rate = 5 * DEGREE
    elif frame.kind == HIT_BY_WALL:
        mind.speed = -1 * mind.speed
    return DONE
