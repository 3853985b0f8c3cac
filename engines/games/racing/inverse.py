"""The inverse of the physics: which order gives a wanted acceleration.

Without random friction, a car that slips by a vector is pushed against it with the force that
belongs to the slip's length. So a wanted force fixes the slip, and the slip fixes steering angle
and wheel speed.
"""

from __future__ import annotations

import math
from typing import Any

from engines.compiling.jit import njit
from engines.games.racing.physics import DRAG, EMPTY_MASS, GRAVITY

PEAK = 1.05
"""The highest coefficient of friction."""
_USED = 0.985
"""The largest part of it that is asked for: beyond it the slip grows without end."""


@njit
def push(car: Any, normal: float, along: float) -> Any:
    """The order for an acceleration to the left and ahead, as far as the tyres give it.

    Turning goes before speeding up or braking.
    """
    mass = EMPTY_MASS + car.fuel / GRAVITY
    along += DRAG * car.v * car.v * (2.0 * car.damage + 30000.0) / 30000.0 / mass
    most = _USED * PEAK * GRAVITY
    normal = min(max(normal, -most), most)
    left = math.sqrt(most * most - normal * normal)
    along = min(max(along, -left), left)
    wanted = math.sqrt(normal * normal + along * along)
    if wanted < 1e-6:
        return 0.0, car.v
    slip = -2.0 * math.log(1.0 - wanted / (PEAK * GRAVITY))
    across, ahead = slip * normal / wanted, car.v + slip * along / wanted
    return math.atan2(across, ahead), math.sqrt(across * across + ahead * ahead)


@njit
def curvature(car: Any, to_lft: float) -> float:
    """The curvature of the lane in this distance from the left wall; left turns are positive."""
    if car.cur_rad == 0.0:
        return 0.0
    if car.cur_rad > 0.0:
        return float(1.0 / (car.cur_rad + max(to_lft, 0.0)))
    return float(1.0 / (car.cur_rad - max(car.to_lft + car.to_rgt - to_lft, 0.0)))


_STIFF, _DAMPED, _SECONDS = 0.8, 3.0, 0.3
_STEEPEST = 0.15
"""The largest part of the velocity that goes across the lane."""


@njit
def towards(car: Any, error: float, drift: float, stiff: float, damped: float) -> float:
    """The acceleration across that brings a car to its lane; `error` is how far to the left it is.

    The way to the lane has a limited slope: a slow car would turn around on a full lock.
    """
    across = min(max(stiff * error, -_STEEPEST * car.v), _STEEPEST * car.v)
    return float(damped * (across - drift))


@njit
def aim(car: Any, to_lft: float, speed: float) -> Any:
    """The order that brings the car to a lane and a speed."""
    bend = car.v * car.v * curvature(car, to_lft)
    # vn is positive to the left, so it makes `to_lft` smaller.
    normal = bend + towards(car, car.to_lft - to_lft, car.vn, _STIFF, _DAMPED)
    return push(car, normal, (speed - car.v) / _SECONDS)
