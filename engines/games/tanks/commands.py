"""Orders by name, for robots that are not compiled: uploaded bots and scripts.

An order is a list of commands in the manner of Robocode's calls, carried out one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engines.compiling.jit import njit
from engines.games.tanks.geometry import DEGREE
from engines.games.tanks.layout import World
from engines.games.tanks.orders import (
    forget_orders,
    set_adjust_radar,
    set_adjust_radar_body,
    set_fire,
    set_max_turn,
    set_max_velocity,
    set_move,
    set_resume,
    set_stop,
    set_turn,
)

_MOVE, _TURN, _TURN_GUN, _TURN_RADAR, _MAX_VELOCITY, _MAX_TURN, _FIRE = range(7)
_STOP, _RESUME, _ADJUST_GUN, _ADJUST_RADAR, _ADJUST_RADAR_BODY, _SCAN = range(7, 13)

NUMERIC: dict[str, tuple[int, float]] = {
    "set_ahead": (_MOVE, 1.0),
    "set_back": (_MOVE, -1.0),
    "set_turn_right": (_TURN, DEGREE),
    "set_turn_left": (_TURN, -DEGREE),
    "set_turn_right_radians": (_TURN, 1.0),
    "set_turn_left_radians": (_TURN, -1.0),
    "set_turn_gun_right": (_TURN_GUN, DEGREE),
    "set_turn_gun_left": (_TURN_GUN, -DEGREE),
    "set_turn_gun_right_radians": (_TURN_GUN, 1.0),
    "set_turn_gun_left_radians": (_TURN_GUN, -1.0),
    "set_turn_radar_right": (_TURN_RADAR, DEGREE),
    "set_turn_radar_left": (_TURN_RADAR, -DEGREE),
    "set_turn_radar_right_radians": (_TURN_RADAR, 1.0),
    "set_turn_radar_left_radians": (_TURN_RADAR, -1.0),
    "set_max_velocity": (_MAX_VELOCITY, 1.0),
    "set_max_turn_rate": (_MAX_TURN, DEGREE),
    "set_max_turn_rate_radians": (_MAX_TURN, 1.0),
    "set_fire": (_FIRE, 1.0),
}
"""Commands with a number, and its factor to pixels and radians."""

SWITCHES: dict[str, int] = {
    "set_adjust_gun_for_robot_turn": _ADJUST_GUN,
    "set_adjust_radar_for_gun_turn": _ADJUST_RADAR,
    "set_adjust_radar_for_robot_turn": _ADJUST_RADAR_BODY,
}
"""Commands with true or false."""

PLAIN: dict[str, int] = {"set_stop": _STOP, "set_resume": _RESUME, "scan": _SCAN}
"""Commands without an argument."""


class BadCommand(ValueError):
    """An unknown command, or an invalid argument. The message says what is wrong."""


def encode(command: Sequence[Any]) -> tuple[int, float]:
    """Encode a command such as `["set_ahead", 100]` for `carry_out`; raises `BadCommand`."""
    name = command[0] if command else None
    if not isinstance(name, str):
        raise BadCommand("a command must be a list that begins with its name")
    arguments = list(command[1:])
    if name in PLAIN:
        if arguments:
            raise BadCommand(f"{name} takes no argument")
        return PLAIN[name], 0.0
    if name not in NUMERIC and name not in SWITCHES:
        raise BadCommand(f"there is no command {name[:40]!r}")
    if len(arguments) != 1:
        raise BadCommand(f"{name} takes one argument")
    value = arguments[0]
    if name in SWITCHES:
        if not isinstance(value, bool):
            raise BadCommand(f"{name} takes true or false")
        return SWITCHES[name], float(value)
    if value in ("NaN", "Infinity", "-Infinity"):
        value = float(value)  # JSON has no infinite numbers
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadCommand(f"{name} takes a number")
    code, factor = NUMERIC[name]
    try:
        return code, factor * float(value)
    except OverflowError as error:
        raise BadCommand(f"{name} takes a number in the range of a float") from error


@njit
def carry_out(world: World, index: int, codes: Any, values: Any) -> int:
    """Replace the orders of tank `index` for one turn; a bit of the result per shot refused."""
    tank = world.tanks[index]
    forget_orders(tank)
    refused = 0
    for place in range(len(codes)):
        if not _obey(tank, codes[place], values[place], world.time) and place < 63:
            refused |= 1 << place
    return refused


@njit
def _obey(tank: Any, code: int, value: float, time: int) -> bool:
    if code == _FIRE:
        return set_fire(tank, value, time)
    if code == _MOVE:
        set_move(tank, value)
    elif code == _TURN:
        set_turn(tank, value)
    elif code == _TURN_GUN:
        tank.gun_turn = value
    elif code == _TURN_RADAR:
        tank.radar_turn = value
    elif code == _MAX_VELOCITY:
        set_max_velocity(tank, value)
    elif code == _MAX_TURN:
        set_max_turn(tank, value)
    elif code == _STOP:
        set_stop(tank)
    elif code == _RESUME:
        set_resume(tank)
    elif code == _ADJUST_GUN:
        tank.adjust_gun = value != 0
    elif code == _ADJUST_RADAR:
        set_adjust_radar(tank, value != 0)
    elif code == _ADJUST_RADAR_BODY:
        set_adjust_radar_body(tank, value != 0)
    else:
        tank.scan_order = True
    return True
