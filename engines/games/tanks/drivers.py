"""The house bots with a movement strategy: Walls, Corners, Tracker."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.compiling.jit import njit
from engines.games.tanks.geometry import relative_degrees
from engines.games.tanks.layout import HIT_BY_ROBOT, RUN, SCANNED, WIN, World
from engines.games.tanks.mind import (
    DONE,
    ahead,
    degrees,
    fire,
    heading,
    rescan,
    resume,
    stop,
    turn_gun_right,
    turn_right,
)


@njit
def walls(world: World, index: int, frame: Any) -> int:
    """Runs along the walls with the gun facing in."""
    mind, tank = world.minds[index], world.tanks[index]
    if frame.kind == RUN:
        return _walls_run(world, mind, tank, frame)
    if frame.kind == HIT_BY_ROBOT and frame.step == 0:
        return ahead(tank, frame, -100.0 if -90 < frame.bearing < 90 else 100.0)
    if frame.kind == SCANNED:
        if frame.step == 0:
            return fire(world, tank, frame, 2.0)
        if frame.step == 1 and mind.flag:
            # It waits to turn into the next wall while a robot is there.
            return rescan(mind, tank, frame)
    return DONE


@njit
def _walls_run(world: World, mind: Any, tank: Any, frame: Any) -> int:
    longest = max(world.width, world.height)
    if frame.step == 0:
        mind.flag = False
        return turn_right(tank, frame, -np.fmod(heading(tank), 90.0))
    if frame.step == 1:
        return ahead(tank, frame, longest)
    if frame.step == 2:
        mind.flag = True
        return turn_gun_right(tank, frame, 90.0)
    if frame.step == 3:
        return turn_right(tank, frame, 90.0)
    if frame.step % 2 == 0:
        mind.flag = True
        return ahead(tank, frame, longest)
    mind.flag = False
    return turn_right(tank, frame, 90.0)


@njit
def corners(world: World, index: int, frame: Any) -> int:
    """Goes to a corner and swings its gun there; tries another one if it died early."""
    mind, tank = world.minds[index], world.tanks[index]
    if frame.kind == RUN:
        return _corners_run(world, mind, tank, frame)
    if frame.kind != SCANNED:
        return DONE
    if frame.step == 0:
        if mind.flag:
            return stop(tank, frame)
        frame.step = 11
    if frame.step == 1 or frame.step == 11:
        return fire(world, tank, frame, _by_distance(frame.distance, tank.energy))
    if frame.step == 2:
        return rescan(mind, tank, frame)
    if frame.step == 3:
        return resume(tank, frame)
    return DONE


@njit
def _by_distance(distance: float, energy: float) -> float:
    if distance > 200 or energy < 15:
        return 1.0
    return 2.0 if distance > 50 else 3.0


@njit
def _corners_run(world: World, mind: Any, tank: Any, frame: Any) -> int:
    if frame.step == 0:
        mind.others = world.alive - 1
        mind.flag = False
        return turn_right(tank, frame, relative_degrees(mind.corner - heading(tank)))
    if frame.step == 1:
        mind.flag = True
        return ahead(tank, frame, 5000.0)
    if frame.step == 2:
        return turn_right(tank, frame, -90.0)
    if frame.step == 3:
        return ahead(tank, frame, 5000.0)
    if frame.step == 4:
        return turn_gun_right(tank, frame, -90.0)
    swing = (frame.step - 5) // 30
    return turn_gun_right(tank, frame, -3.0 if swing % 2 == 0 else 3.0)


@njit
def corners_death(world: World, index: int) -> None:
    """Change the corner for the next round if fewer than three quarters died before."""
    mind, alive = world.minds[index], world.alive
    if mind.others > 0 and (mind.others - alive) / mind.others < 0.75:
        mind.corner += 90
        if mind.corner == 270:
            mind.corner = -90


@njit
def tracker(world: World, index: int, frame: Any) -> int:
    """Locks on to one robot, goes near, fires when close."""
    mind, tank = world.minds[index], world.tanks[index]
    if frame.kind == RUN:
        return _tracker_run(mind, tank, frame)
    if frame.kind == SCANNED:
        return _tracker_scan(world, index, frame)
    if frame.kind == HIT_BY_ROBOT:
        if frame.step == 0:
            mind.target = frame.other
            return _aim(mind, tank, frame)
        if frame.step == 1:
            return fire(world, tank, frame, 3.0)
        if frame.step == 2:
            return ahead(tank, frame, -50.0)
    elif frame.kind == WIN and frame.step < 100:
        return turn_right(tank, frame, 30.0 if frame.step % 2 == 0 else -30.0)
    return DONE


@njit
def _aim(mind: Any, tank: Any, frame: Any) -> int:
    mind.value = relative_degrees(frame.bearing + (heading(tank) - degrees(tank.radar)))
    return turn_gun_right(tank, frame, mind.value)


@njit
def _tracker_run(mind: Any, tank: Any, frame: Any) -> int:
    if frame.step == 0:
        tank.adjust_gun = True
        mind.value = 10.0
    else:
        # Look one way, then the other, then for another robot.
        mind.count += 1
        if mind.count > 2:
            mind.value = -10.0
        if mind.count > 5:
            mind.value = 10.0
        if mind.count > 11:
            mind.target = -1
    return turn_gun_right(tank, frame, mind.value)


@njit
def _tracker_scan(world: World, index: int, frame: Any) -> int:
    mind, tank = world.minds[index], world.tanks[index]
    if frame.step == 0:
        if mind.target >= 0 and mind.target != frame.other:
            return DONE
        mind.target = frame.other
        mind.count = 0
        return _aim(mind, tank, frame)
    if frame.distance > 150:
        if frame.step == 1:
            return turn_right(tank, frame, frame.bearing)
        return ahead(tank, frame, frame.distance - 140) if frame.step == 2 else DONE
    if frame.step == 1:
        return fire(world, tank, frame, 3.0)
    if frame.step == 2:
        if frame.distance < 100:
            return ahead(tank, frame, -40.0 if -90 < frame.bearing <= 90 else 40.0)
        frame.step = 3
    return rescan(mind, tank, frame) if frame.step == 3 else DONE
