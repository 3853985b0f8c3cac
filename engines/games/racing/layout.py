"""The memory of a race: one record per track segment and per car, allocated once.

Compiled code changes the records in place. This module owns the fields and their meaning, but no
rule of the game. Units are those of RARS: feet, seconds, pounds, slugs and radians.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

MAX_CARS = 12
MOST_SEGMENTS = 800
"""The longest track that ships has 786."""

DT = 0.0549
"""Seconds per tick: one order and one physics step."""

CAR_LENGTH, CAR_WIDTH = 20.0, 10.0
MAX_FUEL = 150.0
MAX_DAMAGE = 30000
MOST_LAPS = 100
NEARBY = 5
"""The most other cars that a driver sees."""

_f, _i, _b = np.float64, np.int64, np.bool_

SEGMENT = np.dtype(
    [
        # Radii of the walls: 0 straight, positive a left turn, negative a right turn.
        ("right", _f),
        ("left", _f),
        # Feet of a straight, radians of a curve.
        ("length", _f),
        # Headings at the begin and the end, and of a straight's direction its cosine and sine.
        ("begin", _f),
        ("end", _f),
        ("cos", _f),
        ("sin", _f),
        # Where the right and the left wall begin, and the centre of a curve.
        ("x", _f),
        ("y", _f),
        ("left_x", _f),
        ("left_y", _f),
        ("centre_x", _f),
        ("centre_y", _f),
        # Distance along the middle from the finish line to the segment's end.
        ("distance", _f),
    ],
    align=True,
)

TRACK = np.dtype(
    [
        ("count", _i),
        ("rows", _i),
        ("width", _f),
        ("length", _f),
        ("finish", _f),
        # The finish line, in feet from the begin of segment 0.
        ("line", _f),
        ("pit_side", _f),
        ("pit_entry", _f),
        ("lane_start", _f),
        ("lane_end", _f),
        ("pit_exit", _f),
        ("lane_speed", _f),
        ("segments", SEGMENT, (MOST_SEGMENTS,)),
    ],
    align=True,
)

SEEN = np.dtype(
    [
        ("who", _i),
        *((name, _f) for name in ("x", "y", "xdot", "ydot", "alpha", "to_lft", "to_rgt")),
        *((name, _f) for name in ("v", "vn", "dist")),
        ("braking", _b),
        ("for_position", _b),
        ("coming_from_pits", _b),
    ],
    align=True,
)
"""Another car as a driver sees it: y along the driver's velocity, x to its right."""

CAR = np.dtype(
    [
        # The car itself. `pre_*` are the rates of the step before.
        *((name, _f) for name in ("x", "y", "xdot", "ydot", "ang")),
        # The direction of the last step's velocity.
        *((name, _f) for name in ("east", "north")),
        *((name, _f) for name in ("pre_xdot", "pre_ydot", "pre_xa", "pre_ya")),
        *((name, _f) for name in ("fuel", "alpha", "vc")),
        *((name, _f) for name in ("power_req", "power", "cen_a", "tan_a")),
        ("damage", _i),
        # As observed at the begin of the tick.
        ("seg", _i),
        *((name, _f) for name in ("to_lft", "to_rgt", "to_end", "v", "vn", "distance")),
        *((name, _f) for name in ("cur_rad", "nex_rad", "after_rad", "aftaft_rad")),
        *((name, _f) for name in ("cur_len", "nex_len", "after_len", "aftaft_len")),
        ("backward", _b),
        ("dead_ahead", _b),
        ("backward_ticks", _i),
        # Laps: the first crossing of the line begins lap 0.
        ("laps", _i),
        ("crossed", _b),
        ("line_time", _f),
        ("start_time", _f),
        ("lap_time", _f),
        ("lap_times", _f, (MOST_LAPS,)),
        ("best_lap", _f),
        ("last_speed", _f),
        ("best_speed", _f),
        ("finish_time", _f),
        ("behind_leader", _f),
        ("laps_led", _i),
        ("position", _i),
        ("speed_max", _f),
        ("out", _b),
        ("done", _b),
        # The order of its driver, kept until the next one.
        *((name, _f) for name in ("order_alpha", "order_vc", "order_fuel", "order_repair")),
        ("order_pit", _b),
        ("started", _b),
        # A pit stop: its phase, the rest of its time, and the stops so far.
        ("pit", _i),
        ("pit_time", _f),
        ("pit_stops", _i),
        # What drives the car: 0 an uploaded bot, a house driver's number, or a program.
        ("driver", _i),
        ("nearby", SEEN, (NEARBY,)),
        ("seen", _i),
    ],
    align=True,
)

WORLD = np.dtype(
    [
        ("count", _i),
        ("laps", _i),
        ("surface", _i),
        ("random_motion", _b),
        ("alone", _b),
        # The state of the random numbers: one stream, or one per car if they drive alone.
        ("seeds", np.uint32, (MAX_CARS,)),
        ("tick", _i),
        ("most_ticks", _i),
        # Ticks since the last car finished or left, cars that have finished, and laps led so far.
        ("after_end", _i),
        ("finished", _i),
        ("laps_led", _i),
        ("time", _f),
        ("over", _b),
        ("order", _i, (MAX_CARS,)),
        ("cars", CAR, (MAX_CARS,)),
    ],
    align=True,
)

Track: TypeAlias = Any
"""A record of type `TRACK`."""
World: TypeAlias = Any
"""A record of type `WORLD`."""
Car: TypeAlias = Any
"""A record of type `CAR`."""
