"""One step of one car: friction, power, drag, damage off the road, and integration.

The order of operations is that of RARS, because the last bit of a float depends on it.
"""

from __future__ import annotations

import math
from typing import Any

from engines.compiling.jit import njit
from engines.games.racing.layout import DT

GRAVITY = 32.2
EMPTY_MASS = 75.0
MAX_POWER = 1e5
"""Foot-pounds per second."""
DRAG = 0.0065
SPECIFIC_FUEL = 0.45e-6
MAX_ALPHA = 1.0
ALPHA_STEP = 3.2 * DT
REVERSE_LIMIT = 20.0


@njit
def friction(surface: int, slip: float) -> float:
    """The coefficient of friction of tyres that slip, in feet per second."""
    if surface == 0:
        return 1.0 * slip / (2.0 + slip)
    if surface == 1:
        return 1.05 * (1.0 - math.exp(-slip / 2.0))
    result = 1.8 * (1.0 - math.exp(-slip / 2.0))
    if slip > 20.0:
        result -= 0.2
    return result


@njit
def perturbed(surface: int, slip: float, draw: int) -> float:
    """The same with random tyres: `draw` is a random number below 32768."""
    slipping = 1.5 + draw / 32767.0
    if surface == 0:
        return 1.0 * slip / (slipping + slip)
    if surface == 1:
        return 1.05 * (1.0 - math.exp(-slip / slipping))
    result = 1.8 * (1.0 - math.exp(-slip / slipping))
    if slip > 20.0:
        result -= 0.2
    return result


@njit
def draw(world: Any, stream: int) -> int:
    """The next random number of a stream, below 32768."""
    world.seeds[stream] = world.seeds[stream] * 0x015A4E35 + 1
    return int((world.seeds[stream] >> 16) & 0x7FFF)


@njit
def limited(alpha: float, before: float) -> float:
    """The steering angle that the car reaches in one tick."""
    if alpha - before > ALPHA_STEP:
        alpha = before + ALPHA_STEP
    if before - alpha > ALPHA_STEP:
        alpha = before - ALPHA_STEP
    if alpha > MAX_ALPHA:
        return MAX_ALPHA
    return -MAX_ALPHA if alpha < -MAX_ALPHA else alpha


@njit
def excess_power(
    vc: float, v: float, cosine: float, sine: float, grip: float, surface: int
) -> float:
    """The power at this wheel speed beyond the target just below the car's limit."""
    normal, along = -vc * sine, v - vc * cosine
    slip = math.sqrt(along * along + normal * normal)
    force = grip * friction(surface, slip)
    if slip < 0.0001:
        return -0.9975 * MAX_POWER
    return (
        vc * (-force * along / slip * cosine + -force * normal / slip * sine) - 0.9975 * MAX_POWER
    )


_STEPS, _EPSILON, _TOLERANCE = 20, 1e-8, 0.006


@njit
def limit_speed(
    low: float, high: float, v: float, cosine: float, sine: float, grip: float, surface: int
) -> float:
    """The wheel speed at which the car has its full power, by Brent's method."""
    a, b = low, high
    fa = excess_power(a, v, cosine, sine, grip, surface)
    fb = excess_power(b, v, cosine, sine, grip, surface)
    if fb * fa > 0.0:
        return b
    c, fc = b, fb
    step = last = b - a
    for _ in range(_STEPS):
        if fb * fc > 0.0:
            c, fc = a, fa
            step = last = b - a
        if abs(fc) < abs(fb):
            a, b, c = b, c, b
            fa, fb, fc = fb, fc, fb
        tolerance = 2.0 * _EPSILON * abs(b) + 0.5 * _TOLERANCE
        half = 0.5 * (c - b)
        if abs(half) <= tolerance or fb == 0.0:
            return b
        if abs(last) >= tolerance and abs(fa) > abs(fb):
            s = fb / fa
            if a == c:
                p, q = 2.0 * half * s, 1.0 - s
            else:
                q, r = fa / fc, fb / fc
                p = s * (2.0 * half * q * (q - r) - (b - a) * (r - 1.0))
                q = (q - 1.0) * (r - 1.0) * (s - 1.0)
            if p > 0.0:
                q = -q
            p = abs(p)
            if 2.0 * p < min(3.0 * half * q - abs(tolerance * q), abs(last * q)):
                last, step = step, p / q
            else:
                step = last = half
        else:
            step = last = half
        a, fa = b, fb
        if abs(step) > tolerance:
            b += step
        else:
            b += tolerance if half > 0.0 else -tolerance
        fb = excess_power(b, v, cosine, sine, grip, surface)
    return b


@njit
def move(world: Any, car: Any, width: float, air: float, stream: int) -> None:
    """Move a car for one tick with its `alpha` and `vc`, which are within their limits."""
    v, surface = car.v, world.surface
    mass = EMPTY_MASS + car.fuel / GRAVITY
    grip = mass * GRAVITY
    if car.vc < 0.0 and v > REVERSE_LIMIT:
        car.vc = 0.0
    vc = car.vc
    drag = DRAG * v * v * (2.0 * car.damage + 30000.0) / 30000.0 * air
    off = (car.to_lft < 0.0 or car.to_rgt < 0.0) and car.pit == 0
    if off:
        drag += (0.6 + 0.008 * v) * mass * GRAVITY
        if car.to_lft < -width or car.to_rgt < -width:
            drag += 1.7 * mass * GRAVITY
    cosine, sine = math.cos(car.alpha), math.sin(car.alpha)
    normal, along = -vc * sine, v - vc * cosine
    slip = math.sqrt(along * along + normal * normal)
    force = grip * friction(surface, slip)
    if slip < 0.0001:
        fn = ft = 0.0
    else:
        fn, ft = -force * normal / slip, -force * along / slip
    power = (abs(vc)) * (ft * cosine + fn * sine)
    car.power_req = power / MAX_POWER
    if power > MAX_POWER:
        vc = car.vc = limit_speed(v * cosine, vc, v, cosine, sine, grip, surface)
        normal, along = -vc * sine, v - vc * cosine
        slip = math.sqrt(along * along + normal * normal)
        force = grip * friction(surface, slip)
        if slip < 0.0001:
            fn = ft = 0.0
        else:
            fn, ft = -force * normal / slip, -force * along / slip
        power = abs(vc) * (ft * cosine + fn * sine)
    car.power = power / MAX_POWER
    ratio = 1.0
    if world.random_motion and ft != 0.0:
        ratio = perturbed(surface, slip, draw(world, stream)) * mass * GRAVITY / force
    car.cen_a = fn * ratio / mass
    car.tan_a = (ft * ratio - drag) / mass
    if power > 0.0:
        car.fuel -= power * SPECIFIC_FUEL * DT
    if off:
        car.damage += int((car.tan_a * car.tan_a + car.cen_a * car.cen_a) / 50.0)
    integrate(car)


@njit
def integrate(car: Any) -> None:
    """Two-step Adams-Bashforth of velocity and place."""
    speed = math.sqrt(car.xdot * car.xdot + car.ydot * car.ydot)
    east = north = 0.0
    if speed >= 0.0001:
        east, north = car.xdot / speed, car.ydot / speed
    xa = car.tan_a * east - car.cen_a * north
    ya = car.cen_a * east + car.tan_a * north
    car.x += (1.5 * car.xdot - 0.5 * car.pre_xdot) * DT
    car.y += (1.5 * car.ydot - 0.5 * car.pre_ydot) * DT
    car.pre_xdot, car.pre_ydot = car.xdot, car.ydot
    car.xdot += (1.5 * xa - 0.5 * car.pre_xa) * DT
    car.ydot += (1.5 * ya - 0.5 * car.pre_ya) * DT
    car.pre_xa, car.pre_ya = xa, ya
    car.ang = math.atan2(car.ydot, car.xdot)
    # A collision changes the velocity, but not this direction before the next step.
    speed = math.sqrt(car.xdot * car.xdot + car.ydot * car.ydot)
    if speed >= 0.0001:
        car.east, car.north = car.xdot / speed, car.ydot / speed
