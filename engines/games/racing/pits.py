"""Pit stops: the car drives itself to its place in the lane, waits, and drives out.

RARS gives no trace of a stop, so only its figures are used here: where the lane is, when a wish
counts, and how long the work takes. The way of the car is our own.
"""

from __future__ import annotations

import math
from typing import Any

from engines.compiling.jit import njit
from engines.games.racing.inverse import aim
from engines.games.racing.layout import DT, MAX_CARS, MAX_FUEL

# Phases of a stop.
NOT, ENTERS, STANDS, LEAVES = range(4)

_WINDOW = 100.0
"""A wish counts in these feet after the entry."""
_BESIDE = 15.0
"""The lane is so far off the road."""
_BRAKES = 20.0
_NEAR = 3.0
_PER_DAMAGE, _PER_POUND = 0.005, 0.05
"""Seconds of work."""


@njit
def enter(world: Any, track: Any, car: Any) -> None:
    """Begin a stop if the driver wants one, the car is at the entry and nobody has finished."""
    if not car.order_pit or car.pit != NOT or world.finished > 0 or car.laps < 0:
        return
    if 0.0 < car.distance - track.pit_entry < _WINDOW:
        car.pit = ENTERS


@njit
def _way(track: Any, car: Any, place: float) -> float:
    """Feet from the car to a distance, which may lie before or behind the line."""
    way = (place - car.distance) % track.length
    return float(way - track.length if way > track.length / 2.0 else way)


@njit
def drive(track: Any, car: Any, index: int) -> Any:
    """The order of the pit's own driver, and the work while the car stands."""
    lane = (track.lane_end - track.lane_start) % track.length
    stop = track.lane_start + lane * (index + 0.5) / MAX_CARS
    if car.pit == ENTERS and _way(track, car, stop) < _NEAR:
        _begin_work(car)
    if car.pit == STANDS:
        car.pit_time -= DT
        if car.pit_time > 0.0:
            return 0.0, 0.0
        car.pit = LEAVES
    if car.pit == LEAVES and 0.0 > _way(track, car, track.pit_exit) > -1000.0:
        car.pit = NOT
        car.order_pit = False
    to_lane = _way(track, car, track.lane_start)
    in_lane = to_lane < 0.0 and (car.pit == ENTERS or _way(track, car, track.lane_end) > 0.0)
    wall = -_BESIDE if in_lane else 10.0
    to_lft = wall if track.pit_side < 0.0 else track.width - wall
    speed = track.lane_speed
    if car.pit == ENTERS and to_lane > 0.0:
        speed = math.sqrt(speed * speed + 2.0 * _BRAKES * to_lane)
    if car.pit == ENTERS and to_lane <= 0.0:
        left = max(_way(track, car, stop), 1.0)
        speed = min(speed, math.sqrt(2.0 * _BRAKES * left))
    return aim(car, to_lft, speed)


@njit
def _begin_work(car: Any) -> None:
    repair = min(max(car.order_repair, 0.0), float(car.damage))
    fuel = min(max(car.order_fuel, 0.0), MAX_FUEL - car.fuel)
    car.pit, car.pit_stops = STANDS, car.pit_stops + 1
    car.pit_time = max(_PER_DAMAGE * repair, _PER_POUND * fuel)
    car.damage -= int(repair)
    car.fuel += fuel
