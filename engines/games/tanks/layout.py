"""The memory of a battle: one record per tank, bullet, event and frame, allocated once.

Records rather than objects, so that compiled code changes them in place; nothing is allocated while
a battle runs. This module owns the fields and their meaning and no rule of the game.

Places are pixels from the lower left corner, angles radians clockwise from north.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np

from engines.compiling.jit import njit

# What a tank is (`Tank.state`).
ACTIVE, HIT_WALL, HIT_ROBOT, DEAD = 0, 1, 2, 3

# What a bullet is (`Bullet.state`). An EXPLODED entry is the wreck of a tank: it hits nothing but
# takes part in the order of play.
FIRED, MOVING, STRUCK_TANK, STRUCK_BULLET, STRUCK_WALL, EXPLODED = 0, 1, 2, 3, 4, 5

# What happened (`Event.kind`), most urgent first; RUN marks the frame of a robot's main program.
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
"""Enough for ten tanks on the largest field with guns that cool as they should."""

QUEUE_LIMIT = 257
"""The engine refuses events when more than 256 wait, all but a robot's death and its win."""

SCRATCH = QUEUE_LIMIT + 2
"""A place in each queue that holds no event, for sorting."""

MAX_FRAMES = 12
"""Handlers nest only upwards in priority, so a robot is never in more of them than there are."""

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
        # What `stop` saved for `resume`.
        *((name, _f) for name in ("kept_distance", "kept_turn", "kept_gun", "kept_radar")),
        # Score of this round.
        *((name, _f) for name in ("survival", "last_survivor")),
        *((name, _f) for name in ("bullet_damage", "bullet_bonus", "ram_damage", "ram_bonus")),
        # Sums over the rounds that have ended.
        *((name, _f) for name in ("all_survival", "all_last_survivor")),
        *((name, _f) for name in ("all_bullet_damage", "all_bullet_bonus")),
        *((name, _f) for name in ("all_ram_damage", "all_ram_bonus")),
        *((name, _i) for name in ("firsts", "seconds", "thirds")),
        # A bit for each tank that the radar has swept over in this turn.
        ("seen", _i),
        ("state", _i),
        ("last_bullet", _i),
        ("queued", _i),
        # The event handed out last: fire assist asks for it.
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
        # How many tanks and bullets it may meet in this turn.
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
        # Which program runs here, how far it is, and what it waits for.
        *((name, _i) for name in ("kind", "step", "wait", "count")),
        ("rescanning", _b),
        ("was_interruptible", _b),
        # The event that started it, and one number of its own.
        *((name, _f) for name in ("bearing", "distance", "heading", "velocity", "energy")),
        ("value", _f),
        ("other", _i),
        ("fault", _b),
    ],
    align=True,
)

MIND = np.dtype(
    [
        # `bot` names a house bot, or a program of the seat's own; 0 is played from outside.
        # `skipped` counts the turns that such a seat has missed in a row.
        *((name, _i) for name in ("bot", "depth", "count", "target", "others", "trigger")),
        ("skipped", _i),
        ("value", _f),
        ("speed", _f),
        ("turn_rate", _f),
        ("flag", _b),
        ("waiting", _b),
        ("halted", _b),
        ("watching", _b),
        # Lasts over rounds, as the static fields of a robot do.
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
        # The course of the battle. `ending` counts the turns since at most one tank was left,
        # `idle` those in which too little happened, `activity` the energy lost since then.
        *((name, _i) for name in ("round", "time", "alive", "ending", "idle")),
        # Turns of all rounds.
        ("played", _i),
        ("activity", _f),
        # State of the engine's random stream.
        ("random", np.uint64),
        ("tanks", TANK, (MAX_TANKS,)),
        ("minds", MIND, (MAX_TANKS,)),
        ("frames", FRAME, (MAX_TANKS, MAX_FRAMES)),
        # Fixed start places (x, y, heading); read only where `fixed` says so.
        ("starts", _f, (MAX_TANKS, 3)),
        # What each tank (row) did to each other (column) in this round.
        ("damage", _f, (MAX_TANKS, MAX_TANKS)),
        # Those who died this turn.
        ("deaths", _i),
        ("dead", _i, (MAX_TANKS,)),
        # Slots of `bullets`: `listed` those in use, in order of creation, `spare` the others.
        ("count", _i),
        ("free", _i),
        ("listed", _i, (MOST_BULLETS,)),
        ("spare", _i, (MOST_BULLETS,)),
        ("bullets", BULLET, (MOST_BULLETS,)),
        # Room for shuffles.
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
"""Bytes of a world before the arrays of which only a part is in use."""

World: TypeAlias = Any
"""A record of type `WORLD`. Kernels pass it on as one pointer and change it in place."""


def most_bullets(seats: int, width: float, height: float, cooling: float) -> int:
    """How many bullets, explosions and wrecks can be there at once."""
    # The slowest bullet flies 11 pixels a turn, a hit stays listed for 17 turns, and a gun needs
    # more than a unit of cooling between two shots.
    turns = math.hypot(width, height) / 11 + 20
    return seats * (int(turns / max(1, math.floor(1 / cooling))) + 3)


def new_worlds(
    seats: int, width: float, height: float, rounds: int, cooling: float, inactivity: int
) -> Any:
    """An array of one world, with its settings but without robots; raises `ValueError`."""
    if not 1 <= seats <= MAX_TANKS:
        raise ValueError(f"a battle has 1 to {MAX_TANKS} tanks")
    if most_bullets(seats, width, height, cooling) > MOST_BULLETS:
        raise ValueError("so many tanks could fill so large a field with too many bullets")
    worlds = np.zeros(WORLD.itemsize, np.uint8).view(WORLD)
    worlds["seats"], worlds["width"], worlds["height"] = seats, width, height
    worlds["rounds"], worlds["cooling"], worlds["inactivity"] = rounds, cooling, inactivity
    worlds["tanks"]["last_bullet"] = 1  # the engine numbers a robot's bullets from 2
    return worlds


def blank_worlds() -> Any:
    """Room for one world, with anything in it."""
    return np.empty(WORLD.itemsize, np.uint8).view(WORLD)


def copy_worlds(worlds: Any) -> Any:
    """A world like the given one, made by `new_worlds` or here.

    Most of a world is room for bullets and events that are not there; to copy that as well would
    take longer than to play the turn.
    """
    fresh = blank_worlds()
    # Of plain bytes: numpy copies records field by field, at thirty times the cost.
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
