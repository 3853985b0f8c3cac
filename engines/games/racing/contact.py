"""Cars near each other: drafting, sight of other cars, collisions."""

from __future__ import annotations

import math
from typing import Any

from engines.compiling.jit import njit
from engines.games.racing.layout import CAR_LENGTH, CAR_WIDTH, NEARBY
from engines.games.racing.physics import GRAVITY

_BRAKING = 2.0 * 1.05 * GRAVITY
_CONE = 0.94
"""Cosine of the half angle in which another car is dead ahead."""
_REACH = CAR_LENGTH * CAR_LENGTH + CAR_WIDTH * CAR_WIDTH
_SOFT = 200.0
"""Feet per second that make a hit inelastic."""


@njit
def air_resistance(world: Any, index: int) -> float:
    """The part of the air's drag that is left behind other cars."""
    car = world.cars[index]
    air = 1.0
    for other_index in range(world.count):
        other = world.cars[other_index]
        if other_index == index or other.out:
            continue
        gap = other.distance - car.distance
        side = abs(other.to_rgt - car.to_rgt)
        if CAR_LENGTH <= gap <= other.v and side <= CAR_WIDTH:
            air *= 1.0 - (1.0 - gap / other.v) * (1.0 - side / CAR_WIDTH)
    return air


_SIGHT = 100.0
_BESIDE = 20.0
_HARD_BRAKING = -5.0


@njit
def look_around(world: Any, index: int) -> None:
    """Find the closest cars ahead that the driver sees."""
    car = world.cars[index]
    car.seen = 0
    if car.out or car.v < 0.0001:
        return
    reach = 0.5 * car.v * car.v / GRAVITY + _SIGHT
    east, north = car.xdot / car.v, car.ydot / car.v
    for other_index in range(world.count):
        other = world.cars[other_index]
        if other_index == index or other.out:
            continue
        dx, dy = other.x - car.x, other.y - car.y
        square = dx * dx + dy * dy
        ahead = dx * east + dy * north
        if square > reach * reach or (ahead < 0.0 and square > _BESIDE * _BESIDE):
            continue
        place = min(car.seen, NEARBY)
        while place > 0 and _square(car.nearby[place - 1]) > square:
            place -= 1
        if place == NEARBY:
            continue
        car.seen = min(car.seen + 1, NEARBY)
        for shifted in range(car.seen - 1, place, -1):
            _copy(car.nearby[shifted - 1], car.nearby[shifted])
        seen = car.nearby[place]
        seen.who, seen.y, seen.x = other_index, ahead, dx * north - dy * east
        faster_x, faster_y = other.xdot - car.xdot, other.ydot - car.ydot
        seen.ydot = faster_x * east + faster_y * north
        seen.xdot = faster_x * north - faster_y * east
        seen.alpha, seen.v, seen.vn, seen.dist = other.alpha, other.v, other.vn, other.distance
        seen.to_lft, seen.to_rgt = other.to_lft, other.to_rgt
        seen.braking = other.tan_a < _HARD_BRAKING
        seen.for_position = other.laps == car.laps or other.position == car.position - 1
        seen.coming_from_pits = other.pit != 0


@njit
def _square(seen: Any) -> float:
    return float(seen.x * seen.x + seen.y * seen.y)


@njit
def _copy(source: Any, target: Any) -> None:
    target.who = source.who
    target.x, target.y, target.xdot, target.ydot = source.x, source.y, source.xdot, source.ydot
    target.alpha, target.to_lft, target.to_rgt = source.alpha, source.to_lft, source.to_rgt
    target.v, target.vn, target.dist = source.v, source.vn, source.dist
    target.braking, target.for_position = source.braking, source.for_position
    target.coming_from_pits = source.coming_from_pits


@njit
def collide(world: Any, track: Any, index: int) -> None:
    """Let a car hit others in its segment or the next, and see one dead ahead."""
    car = world.cars[index]
    car.dead_ahead = False
    if car.out:
        return
    following = (car.seg + 1) % track.count
    for other_index in range(world.count):
        other = world.cars[other_index]
        if other_index == index or other.out:
            continue
        if other.seg != car.seg and other.seg != following:
            continue
        _meet(car, other)


@njit
def _meet(car: Any, other: Any) -> None:
    dx, dy = other.x - car.x, other.y - car.y
    square = dx * dx + dy * dy
    separation = math.sqrt(square)
    speed = math.sqrt(car.xdot * car.xdot + car.ydot * car.ydot)
    if separation <= (speed - other.vn - 20.0) * (speed + other.vn - 20.0) / _BRAKING:
        turn, side = math.cos(car.alpha), math.sin(car.alpha)
        along = dx * (car.xdot * turn - car.ydot * side) + dy * (car.ydot * turn + car.xdot * side)
        if along > separation * speed * _CONE:
            car.dead_ahead = True
    if square > _REACH or separation == 0.0:
        return
    if speed < math.sqrt(other.xdot * other.xdot + other.ydot * other.ydot):
        return
    east, north = dx / separation, dy / separation
    overlap = max(
        _depth(car, other, east, north, separation), _depth(other, car, -east, -north, separation)
    )
    if overlap > 0.0:
        _hit(car, other, east, north, overlap)


@njit
def _pointing(car: Any) -> Any:
    """The direction of a car's body."""
    turn, side = math.cos(car.alpha), math.sin(car.alpha)
    return car.east * turn - car.north * side, car.north * turn + car.east * side


@njit
def _corner(number: int, ahead: float, left: float) -> Any:
    """A corner of a car at 0, counted around it."""
    length = CAR_LENGTH / 2.0 if number % 4 < 2 else -CAR_LENGTH / 2.0
    width = CAR_WIDTH / 2.0 if number % 4 in (0, 3) else -CAR_WIDTH / 2.0
    return length * ahead - width * left, length * left + width * ahead


@njit
def _depth(car: Any, other: Any, east: float, north: float, gap: float) -> float:
    """How far the corners of a car reach into another one, along the line of their centres.

    The line is the x axis here, with the car at 0 and the other at `gap`.
    """
    cosine, sine = _pointing(car)
    ahead, left = cosine * east + sine * north, sine * east - cosine * north
    cosine, sine = _pointing(other)
    others_ahead, others_left = cosine * east + sine * north, sine * east - cosine * north
    deepest = 0.0
    for number in range(4):
        x, y = _corner(number, ahead, left)
        near, far = math.inf, -math.inf
        for edge in range(4):
            x1, y1 = _corner(edge, others_ahead, others_left)
            x2, y2 = _corner(edge + 1, others_ahead, others_left)
            if (y1 - y) * (y2 - y) <= 0.0 and y1 != y2:
                at = x1 * (y2 - y) + x2 * (y - y1)
                at /= y2 - y1
                near, far = min(near, at), max(far, at)
        if x - gap <= far and x - near - gap > deepest:
            deepest = x - near - gap
    return deepest


@njit
def _hit(car: Any, other: Any, east: float, north: float, overlap: float) -> None:
    """Exchange most of the speeds along the line of centres, part the cars, and damage both."""
    mine = car.xdot * east + car.ydot * north
    across = car.ydot * east - car.xdot * north
    others = other.xdot * east + other.ydot * north
    others_across = other.ydot * east - other.xdot * north
    difference = abs(mine - others)
    kept = math.exp(-difference / _SOFT)
    spread = kept * (mine - others)
    total = mine + others
    mine, others = 0.5 * (total - spread), 0.5 * (total + spread)
    across *= 0.99
    car.xdot, car.ydot = mine * east - across * north, mine * north + across * east
    other.xdot = others * east - others_across * north
    other.ydot = others * north + others_across * east
    car.x -= east * overlap / 2.0
    car.y -= north * overlap / 2.0
    other.x += east * overlap / 2.0
    other.y += north * overlap / 2.0
    lost = difference * (1.0 - kept)
    damage = 100.0 * lost * lost - 10.0
    if damage > 0.0 and car.pit == 0:
        car.damage += int(0.5 * damage)
        other.damage += int(0.25 * damage)
