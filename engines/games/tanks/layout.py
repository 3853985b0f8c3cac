"""The memory of a battle: one record per tank, bullet, event and frame, allocated once.

It uses records instead of objects, so that compiled code changes them in place and allocates
nothing during a battle. This module owns the fields and their meaning, but no rule of the game.

Places are pixels from the lower left corner, angles radians clockwise from north.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from engines.compiling.jit import njit

# States of a tank (`Tank.state`).
ACTIVE, HIT_WALL, HIT_ROBOT, DEAD = 0, 1, 2, 3

# States of a bullet (`Bullet.state`). An EXPLODED entry is the wreck of a tank: it hits nothing but
# takes part in the order of play.
FIRED, MOVING, STRUCK_TANK, STRUCK_BULLET, STRUCK_WALL, EXPLODED = 0, 1, 2, 3, 4, 5

# Kinds of events (`Event.kind`), most urgent first; RUN marks the frame of a robot's main program.
RUN = 0
WIN = 1
STATUS = 2
CUSTOM = 3
ROBOT_DEATH = 4
BULLET_MISSED = 5
BULLET_HIT_BULLET = 6
BULLET_HIT = 7
HIT_BY_ROBOT = 8
HIT_BY_WALL = 9
HIT_BY_BULLET = 10
SCANNED = 11
DEATH = 12

# The priorities of the engine, by kind of event. A main program yields to everything.
PRIORITIES = (-1000, 100, 99, 80, 70, 60, 55, 50, 40, 30, 20, 10, -1)

MAX_TANKS = 10

MOST_BULLETS = 2048
"""Enough for ten tanks on the largest field with normally cooling guns."""

QUEUE_LIMIT = 257
"""The engine refuses events if more than 256 wait, except a robot's death and win."""

SCRATCH = QUEUE_LIMIT + 2
"""A spare place in each queue, for sorting."""

MAX_FRAMES = 12
"""Handlers nest only upwards in priority, so their number limits the depth."""

_f, _i, _b = np.float64, np.int64, np.bool_

TANK = np.dtype(
    [
        # The tank itself.
        *((name, _f) for name in ("x", "y", "body", "gun", "radar", "velocity", "energy", "heat")),
        # Lower left corner of its box; it can lag behind the tank (see `ramming`).
        ("box_x", _f),
        ("box_y", _f),
        # Headings before this turn's move: the radar sweeps between them.
        ("last_gun", _f),
        ("last_radar", _f),
        # Standing orders.
        *((name, _f) for name in ("distance", "turn", "gun_turn", "radar_turn")),
        ("max_velocity", _f),
        ("max_turn", _f),
        # The shot ordered for the next turn, and its angle if fire assist may replace the gun's.
        ("shot_power", _f),
        ("shot_angle", _f),
        # Values saved by `stop` for `resume`.
        *((name, _f) for name in ("kept_distance", "kept_turn", "kept_gun", "kept_radar")),
        # Score of this round.
        *((name, _f) for name in ("survival", "last_survivor")),
        *((name, _f) for name in ("bullet_damage", "bullet_bonus", "ram_damage", "ram_bonus")),
        # Sums over the completed rounds.
        *((name, _f) for name in ("all_survival", "all_last_survivor")),
        *((name, _f) for name in ("all_bullet_damage", "all_bullet_bonus")),
        *((name, _f) for name in ("all_ram_damage", "all_ram_bonus")),
        *((name, _i) for name in ("firsts", "seconds", "thirds")),
        # A bit for each tank that the radar has swept over in this turn.
        ("seen", _i),
        ("state", _i),
        ("last_bullet", _i),
        ("queued", _i),
        # The last delivered event, for fire assist.
        ("told_time", _i),
        ("told_kind", _i),
        ("told_bearing", _f),
        # Kinds of robots: AdvancedRobots pay for hitting walls and get no fire assist.
        ("advanced", _b),
        ("over", _b),
        ("blocked", _b),
        ("scanning", _b),
        ("swept_together", _b),
        ("adjust_gun", _b),
        ("adjust_radar", _b),
        ("adjust_radar_body", _b),
        ("adjust_radar_body_set", _b),
        ("stopped", _b),
        ("shot", _b),
        ("shot_assisted", _b),
        ("scan_order", _b),
        ("placed", _b),
        ("excluded", _b),
        ("drained", _b),
        ("winner", _b),
    ],
    align=True,
)

BULLET = np.dtype(
    [
        *((name, _f) for name in ("x", "y", "last_x", "last_y", "step_x", "step_y")),
        ("heading", _f),
        ("power", _f),
        *((name, _i) for name in ("owner", "victim", "state", "frame", "number")),
        # Numbers of tanks and bullets that it may meet in this turn.
        *((name, _i) for name in ("near_tanks", "near_bullets")),
    ],
    align=True,
)

EVENT = np.dtype(
    [
        *((name, _f) for name in ("bearing", "distance", "heading", "velocity", "energy", "power")),
        *((name, _i) for name in ("time", "kind", "other", "number", "other_number")),
        ("fault", _b),
    ],
    align=True,
)

FRAME = np.dtype(
    [
        # The running program, its step, and its wait condition.
        *((name, _i) for name in ("kind", "step", "wait", "count")),
        ("rescanning", _b),
        ("was_interruptible", _b),
        # The event that started it, and one number for its use.
        *((name, _f) for name in ("bearing", "distance", "heading", "velocity", "energy")),
        ("value", _f),
        ("other", _i),
        ("fault", _b),
    ],
    align=True,
)

MIND = np.dtype(
    [
        # `bot` is the number of a house bot or PROGRAM; 0 is an uploaded bot.
        # `skipped` counts the turns in a row that such a seat has missed.
        *((name, _i) for name in ("bot", "depth", "count", "target", "others", "trigger")),
        ("skipped", _i),
        ("value", _f),
        ("speed", _f),
        ("turn_rate", _f),
        ("flag", _b),
        ("waiting", _b),
        ("halted", _b),
        ("watching", _b),
        # Lasts over rounds, like the static fields of a robot.
        ("corner", _i),
        # State of the random stream of a seat that a program plays; not reset between rounds.
        ("random", np.uint64),
        # A bit per kind of event; not reset between rounds.
        ("interruptible", _i),
    ],
    align=True,
)

WORLD = np.dtype(
    [
        # The settings.
        *((name, _f) for name in ("width", "height", "cooling")),
        *((name, _i) for name in ("seats", "rounds", "inactivity")),
        ("fixed", _b),
        # The progress of the battle. `ending` counts the turns since at most one tank was left,
        # `idle` the turns with too little activity, `activity` the energy lost since then.
        *((name, _i) for name in ("round", "time", "alive", "ending", "idle")),
        # Turns of all rounds.
        ("played", _i),
        ("activity", _f),
        # State of the engine's random stream.
        ("random", np.uint64),
        ("tanks", TANK, (MAX_TANKS,)),
        ("minds", MIND, (MAX_TANKS,)),
        ("frames", FRAME, (MAX_TANKS, MAX_FRAMES)),
        # Fixed start places (x, y, heading); used only if `fixed` is set.
        ("starts", _f, (MAX_TANKS, 3)),
        # Damage by each tank (row) to each other (column) in this round.
        ("damage", _f, (MAX_TANKS, MAX_TANKS)),
        # Tanks that died this turn.
        ("deaths", _i),
        ("dead", _i, (MAX_TANKS,)),
        # Slots of `bullets`: `listed` are in use, in order of creation; `spare` are free.
        ("count", _i),
        ("free", _i),
        ("listed", _i, (MOST_BULLETS,)),
        ("spare", _i, (MOST_BULLETS,)),
        ("bullets", BULLET, (MOST_BULLETS,)),
        # Arrays for shuffles.
        ("bullet_order", _i, (MOST_BULLETS,)),
        ("other_bullets", _i, (MOST_BULLETS,)),
        ("tank_order", _i, (MAX_TANKS,)),
        ("other_tanks", _i, (MAX_TANKS,)),
        # The events that wait for each tank, `Tank.queued` of them.
        ("queues", EVENT, (MAX_TANKS, SCRATCH + 1)),
    ],
    align=True,
)

_ALWAYS_USED = int(WORLD.fields["bullets"][1])  # type: ignore[index]
"""Bytes of a world before the partly used arrays."""

World: TypeAlias = Any
"""A record of type `WORLD`. Kernels pass it on as one pointer and change it in place."""


def most_bullets(seats: int, width: float, height: float, cooling: float) -> int:
    """The most bullets, explosions and wrecks at one time."""
    # The slowest bullet flies 11 pixels a turn, a hit stays listed for 17 turns, and a gun needs
    # more than a unit of cooling between two shots.
    turns = math.hypot(width, height) / 11 + 20
    return seats * (int(turns / max(1, math.floor(1 / cooling))) + 3)


def new_worlds(
    seats: int, width: float, height: float, rounds: int, cooling: float, inactivity: int
) -> Any:
    """An array of one world, with its settings but without robots; raises `ValueError`."""
    if not 1 <= seats <= MAX_TANKS:
        raise ValueError(f"a battle needs 1 to {MAX_TANKS} tanks")
    if most_bullets(seats, width, height, cooling) > MOST_BULLETS:
        raise ValueError("the bullets could exceed the memory: use fewer tanks or a smaller field")
    worlds = np.zeros(WORLD.itemsize, np.uint8).view(WORLD)
    worlds["seats"], worlds["width"], worlds["height"] = seats, width, height
    worlds["rounds"], worlds["cooling"], worlds["inactivity"] = rounds, cooling, inactivity
    worlds["tanks"]["last_bullet"] = 1  # the engine numbers a robot's bullets from 2
    return worlds


def blank_worlds() -> Any:
    """Memory for one world, with undefined content."""
    return np.empty(WORLD.itemsize, np.uint8).view(WORLD)


def copy_worlds(worlds: Any) -> Any:
    """A copy of a world from `new_worlds` or from here.

    Most of a world is unused space for bullets and events: copying that would take longer than
    playing the turn.
    """
    fresh = blank_worlds()
    # Copy plain bytes: numpy copies records field by field, at thirty times the cost.
    fresh.base[:_ALWAYS_USED] = worlds.base[:_ALWAYS_USED]
    _copy_used(worlds, fresh)
    return fresh


@njit
def _copy_used(worlds: Any, fresh: Any) -> None:
    old, new = worlds[0], fresh[0]
    for place in range(old.count):
        slot = old.listed[place]
        new.bullets[slot] = old.bullets[slot]
    for seat in range(old.seats):
        for event in range(old.tanks[seat].queued):
            new.queues[seat, event] = old.queues[seat, event]
