"""What a car observes of itself and the track, in the frame of its segment.

The order of operations is that of RARS.
"""

from __future__ import annotations

import math
from typing import Any

from engines.compiling.jit import njit
from engines.games.racing.tracks import PI


@njit
def observe(track: Any, car: Any, time: float) -> None:
    """Bring the observed fields of a car up to date, and count its laps."""
    car.v = math.sqrt(car.xdot * car.xdot + car.ydot * car.ydot)
    if car.v > car.speed_max:
        car.speed_max = car.v
    while True:
        segment = track.segments[car.seg]
        dx, dy = car.x - segment.x, car.y - segment.y
        if segment.right == 0.0:
            cosine, sine = segment.cos, segment.sin
            along = dx * cosine + dy * sine
            car.to_rgt = dy * cosine - dx * sine
            car.to_lft = track.width - car.to_rgt
            car.to_end = segment.length - along
            car.vn = car.ydot * cosine - car.xdot * sine
            speed = car.xdot * cosine + car.ydot * sine
            car.backward = speed < 0.0
            if car.seg == 0:
                _count_lap(track, car, along, speed, time)
        else:
            _observe_curve(track, car, segment)
        if car.seg != 0:
            car.crossed = False
        if car.to_end > 0.0:
            break
        car.seg += 1
        if car.seg == track.count:
            car.seg = 0
    _look_ahead(track, car)


@njit
def _observe_curve(track: Any, car: Any, segment: Any) -> None:
    dx, dy = car.x - segment.centre_x, car.y - segment.centre_y
    radius = math.sqrt(dx * dx + dy * dy)
    angle = math.atan2(dy, dx)
    outward = (car.xdot * dx + car.ydot * dy) / radius
    if segment.left > 0.0:
        to_end = segment.end - angle - PI / 2.0
        if to_end > 1.5 * PI:
            to_end -= 2.0 * PI
        elif to_end < -0.5 * PI:
            to_end += 2.0 * PI
        car.to_lft = radius - segment.left
        car.to_rgt = track.width - car.to_lft
        car.vn = -outward
        car.backward = car.ydot * dx - car.xdot * dy < 0.0
    else:
        to_end = -segment.end + angle - PI / 2.0
        if to_end < -0.5 * PI:
            to_end += 2.0 * PI
        elif to_end >= 1.5 * PI:
            to_end -= 2.0 * PI
        car.to_rgt = radius + segment.right
        car.to_lft = track.width - car.to_rgt
        car.vn = outward
        car.backward = car.xdot * dy - car.ydot * dx < 0.0
    car.to_end = to_end


@njit
def _count_lap(track: Any, car: Any, along: float, speed: float, time: float) -> None:
    """The line: its time is interpolated within the tick."""
    if along <= track.line or car.crossed:
        return
    car.crossed = True
    car.laps += 1
    crossing = time - (along - track.line) / speed
    if car.laps == 0:
        car.start_time = crossing
    else:
        car.lap_time = crossing - car.line_time
        if car.laps == 1 or car.lap_time < car.best_lap:
            car.best_lap = car.lap_time
        car.last_speed = track.length / car.lap_time
        if car.last_speed > car.best_speed:
            car.best_speed = car.last_speed
    car.line_time = crossing


@njit
def inner_radius(segment: Any) -> float:
    """The radius of the inner wall: positive in left turns, negative in right turns."""
    return float(segment.left if segment.left >= 0.0 else segment.right)


@njit
def _look_ahead(track: Any, car: Any) -> None:
    here = track.segments[car.seg]
    following = track.segments[(car.seg + 1) % track.count]
    after = track.segments[(car.seg + 2) % track.count]
    last = track.segments[(car.seg + 3) % track.count]
    car.cur_rad, car.cur_len = inner_radius(here), here.length
    car.nex_rad, car.nex_len = inner_radius(following), following.length
    car.after_rad, car.after_len = inner_radius(after), after.length
    car.aftaft_rad, car.aftaft_len = inner_radius(last), last.length
    if here.right == 0.0:
        car.distance = here.distance - car.to_end
    else:
        car.distance = here.distance - abs((here.left + here.right) * car.to_end / 2.0)
    if car.distance < 0.0:
        car.distance += track.length
