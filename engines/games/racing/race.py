"""The order of a race: the grid, a tick, positions, the end."""

from __future__ import annotations

import math
from typing import Any

from engines.compiling.jit import njit
from engines.games.racing import pits
from engines.games.racing.contact import air_resistance, collide, look_around
from engines.games.racing.layout import DT, MAX_DAMAGE, MAX_FUEL, MOST_LAPS
from engines.games.racing.physics import limited, move
from engines.games.racing.sight import observe

START_SPEED = 20.0
BACKWARD_TICKS = 100
"""A car that drives backwards for so long breaks."""
AFTER_END = 50
"""Ticks that a race goes on after all cars have finished or are out."""
SLOWEST = 50.0
"""Feet per second: a race of nothing but slower cars breaks off."""


@njit
def start(world: Any, track: Any, seed: int) -> None:
    """Put all cars on the grid; in a time trial all on its first place."""
    for index in range(world.count):
        world.order[index] = index
        world.seeds[index] = seed * 0x015A4E35 + 1
        car = world.cars[index]
        _place(track, car, 0 if world.alone else index)
        car.position = index
    pace = track.length / SLOWEST
    world.most_ticks = int((60.0 + world.laps * pace) / DT)
    observe_all(world, track)


@njit
def _place(track: Any, car: Any, index: int) -> None:
    distance = track.length - (index // track.rows * 30 + index * 30) - 10.0
    last = -1
    for place in range(track.count):
        if track.segments[place].distance < distance:
            last = place
    seg = (last + 1) % track.count
    segment = track.segments[seg]
    side = track.width * (index % track.rows + 1) / (track.rows + 1)
    if track.segments[(seg + 1) % track.count].left >= 0.0:
        side = track.width - side
    before = track.segments[last].distance if last >= 0 else -track.line
    along = distance - before
    if segment.right == 0.0:
        car.x = segment.x + along * segment.cos - side * segment.sin
        car.y = segment.y + along * segment.sin + side * segment.cos
        car.ang = segment.begin
    else:
        angle = along / (segment.left + segment.right) * 2.0
        heading = segment.begin + angle
        # On a curve RARS measures from the left wall.
        radius = segment.left + side
        centre_x = segment.left_x - segment.left * segment.sin
        centre_y = segment.left_y + segment.left * segment.cos
        car.x = centre_x + radius * math.sin(heading)
        car.y = centre_y - radius * math.cos(heading)
        car.ang = heading
    car.east, car.north = math.cos(car.ang), math.sin(car.ang)
    car.xdot, car.ydot = START_SPEED * car.east, START_SPEED * car.north
    car.seg, car.laps, car.fuel = seg, -1, MAX_FUEL


@njit
def observe_all(world: Any, track: Any) -> None:
    """Let all cars see the track, and then each other."""
    for index in range(world.count):
        car = world.cars[index]
        if car.out:
            continue
        laps = car.laps
        observe(track, car, world.time)
        if car.laps > laps and car.laps > 0:
            _log_lap(world, car)
        if car.backward:
            car.backward_ticks += 1
            if car.backward_ticks >= BACKWARD_TICKS:
                car.damage = max(car.damage, MAX_DAMAGE)
        else:
            car.backward_ticks = 0
    if not world.alone:
        for index in range(world.count):
            look_around(world, index)


@njit
def _log_lap(world: Any, car: Any) -> None:
    if car.laps <= MOST_LAPS:
        car.lap_times[car.laps - 1] = car.lap_time
    if car.laps > world.laps_led:
        world.laps_led = car.laps
        car.laps_led += 1
    if car.laps == world.laps:
        car.finish_time = car.line_time


@njit
def control(world: Any, track: Any, index: int) -> None:
    """Turn a driver's order into the car's steering angle and wheel speed."""
    car = world.cars[index]
    if not car.started:
        car.started = True
        if 1.0 <= car.order_fuel <= MAX_FUEL:
            car.fuel = car.order_fuel
    alpha, vc = car.order_alpha, car.order_vc
    if car.laps >= world.laps and not car.done:
        car.done = True
        world.finished += 1
    pits.enter(world, track, car)
    if car.done and car.v > 80.0:
        vc = 0.95 * car.v
    if car.damage > MAX_DAMAGE or car.fuel <= 0.0:
        car.pit = pits.NOT
        if car.to_rgt < 0.0 or car.to_lft < 0.0:
            _park(car)
        else:
            alpha, vc = _leave(car, track.width)
    elif car.pit != pits.NOT:
        alpha, vc = pits.drive(track, car, index)
    car.alpha = limited(alpha, car.alpha)
    car.vc = vc


@njit
def _park(car: Any) -> None:
    """Put a broken car that has left the road out of the others' way."""
    if car.v > 0.0:
        car.x += 0.8 * 20.0 * car.xdot / car.v
        car.y += 0.8 * 20.0 * car.ydot / car.v
    car.xdot = car.ydot = 0.0
    car.out = True


@njit
def _leave(car: Any, width: float) -> Any:
    """Steer a broken car off the road to the right."""
    drift = car.vn / car.v if car.v > 0.0 else 0.0
    if car.v > 36.0:
        return 0.2 * (10.0 - car.to_rgt) / width - drift, car.v - 2.0
    return 0.8 * (-30.0 - car.to_rgt) / width - drift, 35.0


@njit
def advance(world: Any, track: Any) -> None:
    """Move all cars, collide them, and end the tick."""
    for index in range(world.count):
        car = world.cars[index]
        if car.out or car.pit == pits.STANDS:
            continue
        if world.alone:
            move(world, car, track.width, 1.0, index)
        else:
            move(world, car, track.width, air_resistance(world, index), 0)
    if not world.alone:
        for index in range(world.count):
            collide(world, track, index)
    world.time += DT
    world.tick += 1


@njit
def end_tick(world: Any, track: Any) -> None:
    """Sort the cars, and test whether the race is over; after `observe_all`."""
    sort(world, track)
    still = 0
    most = -1
    for index in range(world.count):
        car = world.cars[index]
        most = max(most, car.laps)
        if not car.out and car.laps < world.laps and not _stands_still(car):
            still += 1
    if still == 0:
        world.after_end += 1
    if world.after_end > (0 if world.alone else AFTER_END):
        world.over = True
    if most >= world.laps + 1 and not world.alone:
        world.over = True
    if world.tick >= world.most_ticks:
        world.over = True


@njit
def _stands_still(car: Any) -> bool:
    """Whether a car can never drive again: the physics have no direction for it."""
    return bool(car.v < 0.0001 and car.pit == pits.NOT)


@njit
def progress(track: Any, car: Any) -> float:
    """Feet since the line."""
    way = car.laps * track.length + car.distance
    if car.crossed and car.distance > track.length / 2.0:
        way -= track.length  # it has rolled back over the line
    return float(way)


@njit
def _ahead(track: Any, car: Any, other: Any) -> bool:
    if car.finish_time > 0.0 or other.finish_time > 0.0:
        if car.finish_time > 0.0 and other.finish_time > 0.0:
            return bool(car.finish_time < other.finish_time)
        return bool(car.finish_time > 0.0)
    return progress(track, car) > progress(track, other)


@njit
def sort(world: Any, track: Any) -> None:
    """Bring the order up to date: cars that have finished, then the others by distance."""
    for place in range(1, world.count):
        moved = world.order[place]
        at = place
        while at > 0 and _ahead(track, world.cars[moved], world.cars[world.order[at - 1]]):
            world.order[at] = world.order[at - 1]
            at -= 1
        world.order[at] = moved
    leader = world.cars[world.order[0]]
    for place in range(world.count):
        car = world.cars[world.order[place]]
        car.position = place
        gap = progress(track, leader) - progress(track, car)
        car.behind_leader = gap / car.v if car.v > 1.0 else 0.0
