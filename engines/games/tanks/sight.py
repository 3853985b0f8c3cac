"""Observations of uploaded robots: a turn as the dictionary for the bot.

It is created once per bot and turn, so all numbers leave compiled code together.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engines.compiling.jit import njit
from engines.games.tanks import layout
from engines.games.tanks.layout import World
from engines.games.tanks.turn import awake, last_word

_COUNTS = ("round", "rounds", "time", "others", "width", "height")
_MEASURES = (
    "cooling",
    "x",
    "y",
    "heading_radians",
    "gun_heading_radians",
    "radar_heading_radians",
    "velocity",
    "energy",
    "gun_heat",
    "distance_remaining",
    "turn_remaining_radians",
    "gun_turn_remaining_radians",
    "radar_turn_remaining_radians",
)
_STATUS = len(_COUNTS) + len(_MEASURES)

# Columns of an event from `_see`.
_KIND, _TIME, _NAME, _NUMBER, _FAULT = range(5)
_BEARING, _DISTANCE, _HEADING, _VELOCITY, _ENERGY, _POWER = range(5, 11)
_EVENT = 11

_MOST_NUMBERS = _STATUS + _EVENT * (layout.SCRATCH + 1)

EVENTS: dict[int, tuple[str, dict[str, int]]] = {
    layout.WIN: ("win", {}),
    layout.DEATH: ("death", {}),
    layout.ROBOT_DEATH: ("robot_death", {"name": _NAME}),
    layout.BULLET_MISSED: ("bullet_missed", {"power": _POWER, "bullet": _NUMBER}),
    layout.BULLET_HIT_BULLET: (
        "bullet_hit_bullet",
        {"power": _POWER, "bullet": _NUMBER, "name": _NAME, "other_power": _ENERGY},
    ),
    layout.BULLET_HIT: (
        "bullet_hit",
        {"name": _NAME, "energy": _ENERGY, "power": _POWER, "bullet": _NUMBER},
    ),
    layout.HIT_BY_ROBOT: (
        "hit_robot",
        {"name": _NAME, "bearing_radians": _BEARING, "energy": _ENERGY, "my_fault": _FAULT},
    ),
    layout.HIT_BY_WALL: ("hit_wall", {"bearing_radians": _BEARING}),
    layout.HIT_BY_BULLET: (
        "hit_by_bullet",
        {
            "name": _NAME,
            "bearing_radians": _BEARING,
            "heading_radians": _HEADING,
            "power": _POWER,
        },
    ),
    layout.SCANNED: (
        "scanned_robot",
        {
            "name": _NAME,
            "bearing_radians": _BEARING,
            "distance": _DISTANCE,
            "heading_radians": _HEADING,
            "velocity": _VELOCITY,
            "energy": _ENERGY,
        },
    ),
}
"""Names and fields of events for bots; the name of a robot is its seat."""


@njit
def _see(worlds: Any, seat: int, sight: Any) -> int:
    """Write the status and events to `sight`; returns their number, or -1 if not asked."""
    world = worlds[0]
    tank = world.tanks[seat]
    if not awake(world, seat) and not last_word(world, seat):
        return -1
    sight[0], sight[1], sight[2] = world.round, world.rounds, world.time
    sight[3] = world.alive - (tank.state != layout.DEAD)
    sight[4], sight[5], sight[6] = world.width, world.height, world.cooling
    sight[7], sight[8] = tank.x, tank.y
    sight[9], sight[10], sight[11] = tank.body, tank.gun, tank.radar
    sight[12], sight[13], sight[14] = tank.velocity, tank.energy, tank.heat
    sight[15], sight[16] = tank.distance, tank.turn
    sight[17], sight[18] = tank.gun_turn, tank.radar_turn
    place = _STATUS
    for slot in range(tank.queued):
        _write_event(world, seat, slot, sight[place : place + _EVENT])
        place += _EVENT
    return int(tank.queued)


@njit
def _write_event(world: World, seat: int, slot: int, row: Any) -> None:
    event = world.queues[seat, slot]
    row[_KIND], row[_TIME], row[_NAME] = event.kind, event.time, event.other
    row[_NUMBER], row[_FAULT] = event.number, event.fault
    row[_BEARING], row[_DISTANCE], row[_HEADING] = event.bearing, event.distance, event.heading
    row[_VELOCITY], row[_ENERGY], row[_POWER] = event.velocity, event.energy, event.power


def look(worlds: Any, seat: int) -> dict[str, Any] | None:
    """The observation of a seat; None if it gives no orders now."""
    sight = np.empty(_MOST_NUMBERS)
    count = _see(worlds, seat, sight)
    if count < 0:
        return None
    numbers = sight[: _STATUS + _EVENT * count].tolist()
    seen: dict[str, Any] = dict(zip(_COUNTS, map(int, numbers), strict=False))
    seen.update(zip(_MEASURES, numbers[len(_COUNTS) :], strict=False))
    for name in _MEASURES[-4:]:
        if not math.isfinite(seen[name]):
            seen[name] = _spelled(seen[name])
    seen["events"] = [
        _event(numbers[place : place + _EVENT])
        for place in range(_STATUS, len(numbers), _EVENT)
        if numbers[place] in EVENTS
    ]
    return seen


def _spelled(value: float) -> str:
    """Infinities become text, since JSON has none. Only orders can be infinite."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _event(row: list[float]) -> dict[str, Any]:
    name, fields = EVENTS[int(row[_KIND])]
    seen: dict[str, Any] = {"event": name, "time": int(row[_TIME])}
    for shown, column in fields.items():
        if column == _FAULT:
            seen[shown] = row[column] != 0
        else:
            seen[shown] = int(row[column]) if column < _FAULT else row[column]
    return seen
