"""The orders of a robot and their results: the robot's side of the rules.

Orders change the standing orders of a tank at once; the next turn carries them out. They hold
until changed, except shots and scans, which are for one turn.
"""

from __future__ import annotations

import math
from typing import Any

from engines.compiling.jit import njit
from engines.games.tanks.geometry import absolute
from engines.games.tanks.gunnery import MAX_POWER, MIN_POWER
from engines.games.tanks.inlining import inlined
from engines.games.tanks.layout import SCANNED
from engines.games.tanks.motion import MAX_TURN, MAX_VELOCITY


@inlined
def forget_orders(tank: Any) -> None:
    """Reset the orders that hold for one turn, when the robot gives new ones."""
    tank.shot = False
    tank.scan_order = False


@njit
def shown_energy(tank: Any) -> float:
    """The energy that the robot sees: without the energy of an ordered shot."""
    return float(tank.energy - tank.shot_power if tank.shot else tank.energy)


@njit
def set_move(tank: Any, distance: float) -> None:
    """Drive by `distance`, backwards if negative; no effect if disabled."""
    if shown_energy(tank) != 0:
        tank.distance = distance


@njit
def set_turn(tank: Any, angle: float) -> None:
    """Turn the body right by `angle`; no effect if disabled."""
    if shown_energy(tank) > 0:
        tank.turn = angle


@njit
def set_max_velocity(tank: Any, limit: float) -> None:
    if not math.isnan(limit):
        tank.max_velocity = min(abs(limit), MAX_VELOCITY)


@njit
def set_max_turn(tank: Any, limit: float) -> None:
    if not math.isnan(limit):
        tank.max_turn = min(abs(limit), MAX_TURN)


@njit
def set_fire(tank: Any, power: float, time: int) -> bool:
    """Order a shot; refused (False) with a hot gun, without energy, or for NaN."""
    if math.isnan(power) or tank.shot or tank.heat > 0 or tank.energy == 0:
        return False
    tank.last_bullet += 1
    tank.shot = True
    tank.shot_power = min(tank.energy, min(max(power, MIN_POWER), MAX_POWER))
    # Fire assist: the current scan event gives the direction.
    tank.shot_assisted = (
        tank.told_kind == SCANNED and tank.told_time == time and tank.gun == tank.radar
    )
    tank.shot_angle = absolute(tank.body + tank.told_bearing)
    return True


@njit
def set_stop(tank: Any) -> None:
    """Stop all four movements, and save them unless already stopped."""
    if not tank.stopped:
        tank.kept_distance = tank.distance
        tank.kept_turn = tank.turn
        tank.kept_gun = tank.gun_turn
        tank.kept_radar = tank.radar_turn
    tank.stopped = True
    tank.distance = tank.turn = tank.gun_turn = tank.radar_turn = 0.0


@njit
def set_resume(tank: Any) -> None:
    """Continue the movements that the last `set_stop` saved."""
    if tank.stopped:
        tank.stopped = False
        tank.distance = tank.kept_distance
        tank.turn = tank.kept_turn
        tank.gun_turn = tank.kept_gun
        tank.radar_turn = tank.kept_radar


@njit
def set_adjust_radar(tank: Any, on: bool) -> None:
    """Keep the radar still when the gun turns, and when the body turns unless set separately."""
    tank.adjust_radar = on
    if not tank.adjust_radar_body_set:
        tank.adjust_radar_body = on


@njit
def set_adjust_radar_body(tank: Any, on: bool) -> None:
    tank.adjust_radar_body = on
    tank.adjust_radar_body_set = True
