"""The house drivers.

The reactive ones see what every bot sees; the planners also know the ideal line of the track.
"""

from __future__ import annotations

import math
from typing import Any

from engines.compiling.jit import njit
from engines.games.racing.inverse import aim, push, towards
from engines.games.racing.layout import MAX_DAMAGE
from engines.games.racing.line import SPACING

BOT, PROGRAM = 0, 1
"""Seats that are not house drivers: an uploaded bot, and a program."""
_KEEPER, _COMMUTER, _COURIER, _TOURIST, _RALLY, _APEX, _SURVEYOR, _PLANNER, _RACER = range(2, 11)

DRIVERS: dict[str, int] = {
    "LaneKeeper": _KEEPER,
    "Commuter": _COMMUTER,
    "Tourist": _TOURIST,
    "Courier": _COURIER,
    "Apex": _APEX,
    "Rally": _RALLY,
    "Surveyor": _SURVEYOR,
    "Racer": _RACER,
    "Planner": _PLANNER,
}
"""Weakest first, by their lap times."""

_BRAKES = 26.0
_FASTEST = 250.0
_EDGE = 12.0


@njit
def drive(world: Any, track: Any, line: Any, index: int) -> Any:
    """The order of a house driver: steering angle and wheel speed."""
    car = world.cars[index]
    kind = car.driver
    if kind == _KEEPER:
        lane = track.width / 2.0
        return aim(car, lane, min(55.0, _safe(car, track, lane, 8.0)))
    if kind == _COMMUTER:
        lane = track.width / 2.0
        return aim(car, _around(car, track, lane), min(90.0, _safe(car, track, lane, 12.0)))
    if kind == _TOURIST:
        lane = track.width - _EDGE - 8.0
        return aim(car, _around(car, track, lane), min(110.0, _safe(car, track, lane, 18.0)))
    if kind == _COURIER:
        lane = _inside(car, track)
        return aim(car, _around(car, track, lane), _safe(car, track, lane, 22.0))
    if kind == _RALLY:
        lane = track.width / 2.0
        return aim(car, _around(car, track, lane), _safe(car, track, lane, 27.0))
    if kind == _APEX:
        lane = _out_in_out(car, track)
        return aim(car, _around(car, track, lane), _safe(car, track, lane, 28.0))
    if kind == _SURVEYOR:
        return _follow(car, track, line, 0.93, False)
    if kind == _RACER:
        _ask_for_pits(car)
        return _follow(car, track, line, 0.985, True)
    return _follow(car, track, line, 1.0, True)


@njit
def _radius(inner: float, width: float, to_lft: float) -> float:
    """The radius of a lane in a curve with this inner wall."""
    return inner + to_lft if inner > 0.0 else width - to_lft - inner


@njit
def _safe(car: Any, track: Any, lane: float, grip: float) -> float:
    """The speed that this curve allows, and brakes allow before the next ones."""
    fastest = _FASTEST
    way = car.to_end
    if car.cur_rad != 0.0:
        radius = _radius(car.cur_rad, track.width, lane)
        fastest = math.sqrt(grip * radius)
        way *= radius
    for place in range(1, 4):
        segment = track.segments[(car.seg + place) % track.count]
        length = segment.length
        if segment.right != 0.0:
            inner = segment.left if segment.left > 0.0 else segment.right
            radius = _radius(inner, track.width, lane)
            fastest = min(fastest, math.sqrt(grip * radius + 2.0 * _BRAKES * max(way, 0.0)))
            length *= radius
        way += length
    return fastest


@njit
def _inside(car: Any, track: Any) -> float:
    """The lane at the inner wall of this curve or of the next one."""
    bend = car.cur_rad if car.cur_rad != 0.0 else car.nex_rad
    if bend == 0.0:
        return float(track.width / 2.0)
    return _EDGE if bend > 0.0 else track.width - _EDGE


@njit
def _out_in_out(car: Any, track: Any) -> float:
    """The outer lane long before a curve, and the inner one in it."""
    inner_left, inner_right = _EDGE, track.width - _EDGE
    if car.cur_rad == 0.0:
        bend = car.nex_rad if car.nex_rad != 0.0 else car.after_rad
        if bend == 0.0:
            return float(track.width / 2.0)
        near = car.to_end < 0.8 * car.v
        if near:
            return inner_left if bend > 0.0 else inner_right
        return inner_right if bend > 0.0 else inner_left
    return inner_left if car.cur_rad > 0.0 else inner_right


@njit
def _around(car: Any, track: Any, lane: float) -> float:
    """Another lane if a slower car is in this one."""
    for place in range(car.seen):
        other = car.nearby[place]
        closing = -other.ydot
        if other.y <= 0.0 or other.y > 25.0 + 2.5 * max(closing, 0.0) or closing < -5.0:
            continue
        if abs(other.to_lft - lane) < 14.0 and abs(other.x) < 20.0:
            if other.to_lft > track.width / 2.0:
                return float(max(other.to_lft - 17.0, 8.0))
            return float(min(other.to_lft + 17.0, track.width - 8.0))
    return lane


@njit
def _follow(car: Any, track: Any, line: Any, part: float, passes: bool) -> Any:
    """Follow the ideal line at a part of its speeds."""
    # Orders work one tick later, so look at the middle of the next one.
    station = (car.distance + 0.5 * 0.0549 * car.v) / (track.length / len(line))
    here = int(station) % len(line)
    after = (here + 1) % len(line)
    share = station - math.floor(station)
    lane = (1.0 - share) * line[here, 0] + share * line[after, 0]
    bend = (1.0 - share) * line[here, 1] + share * line[after, 1]
    further = int(station + 0.1 * car.v / SPACING) % len(line)
    speed = part * line[further, 2]
    slope = (line[after, 0] - line[here, 0]) / SPACING
    other = _around(car, track, lane) if passes else lane
    if other != lane:
        slope = 0.0
    # Off the line, less speed; the drift that the line itself has is no error.
    error = car.to_lft - other
    drift = car.vn + slope * car.v
    normal = car.v * car.v * bend + towards(car, error, drift, 1.0, 4.0)
    speed *= 1.0 - min(0.004 * max(abs(error) - 3.0, 0.0), 0.3)
    return push(car, normal, (speed - car.v) / 0.15)


@njit
def _ask_for_pits(car: Any) -> None:
    """Stop for repair before the car breaks, and for fuel before it runs out."""
    car.order_pit = car.damage > 0.6 * MAX_DAMAGE or car.fuel < 12.0
    car.order_repair, car.order_fuel = float(car.damage), 150.0
