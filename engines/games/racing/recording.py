"""The replay of a race for the viewer: a film of the cars, packed for storage.

A replay is a zlib stream of a header line (JSON) and then the cars column by column, as differences
from frame to frame. Numbers are little-endian. `unpack` is the exact inverse except for the
rounding of `film`, and shows in code the task of the viewer.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.compiling.jit import njit
from engines.games.racing.layout import DT, MAX_CARS
from engines.games.racing.race import progress

VERSION = 1

EVERY = 2
"""Ticks from one frame to the next."""

COLUMNS = ("x", "y", "body", "speed", "way", "damage", "fuel", "place", "state")
"""Tenths of feet, of feet per second and of pounds; the body's angle in 65536ths of a circle; the
way since the line in feet; the place in the race, from 0."""

RACING, FINISHED, IN_PITS, OUT = range(4)
"""States of a car."""

_ANGLE = 65536 / (2 * math.pi)
LONGEST = MAX_CARS * len(COLUMNS)


@njit
def film(world: Any, track: Any, film: Any, place: int) -> int:
    """Write a frame; returns the place of the next one."""
    for index in range(world.count):
        car = world.cars[index]
        row = film[place : place + 9]
        row[0], row[1] = round(car.x * 10.0), round(car.y * 10.0)
        row[2] = round((car.ang + car.alpha) * _ANGLE) & 0xFFFF
        row[3] = 0 if car.out else round(car.v * 10.0)
        row[4] = round(progress(track, car))
        row[5], row[6], row[7] = car.damage, round(car.fuel * 10.0), car.position
        row[8] = RACING
        if car.out:
            row[8] = OUT
        elif car.pit != 0:
            row[8] = IN_PITS
        elif car.done:
            row[8] = FINISHED
        place += 9
    return place


def pack(
    names: Sequence[str], about: Mapping[str, Any], laps: Sequence[Sequence[float]], film: bytes
) -> bytes:
    """A whole film as bytes for storage; `about` describes the race and the track."""
    seats = len(names)
    frames = np.frombuffer(film, np.int32).reshape(-1, seats * len(COLUMNS))
    header = {
        "version": VERSION,
        "names": list(names),
        **about,
        "seconds": DT * EVERY,
        "lap_times": [[round(lap, 3) for lap in one] for one in laps],
        "frames": len(frames),
    }
    deltas = np.diff(frames, axis=0, prepend=0).T.astype("<i4").tobytes()
    return zlib.compress(json.dumps(header).encode() + b"\n" + deltas, 9)


def unpack(replay: bytes) -> tuple[dict[str, Any], Any]:
    """The header, and the cars (frame, seat, column)."""
    line, _, body = zlib.decompress(replay).partition(b"\n")
    header = json.loads(line)
    seats, frames = len(header["names"]), header["frames"]
    deltas = np.frombuffer(body, "<i4").reshape(seats * len(COLUMNS), frames)
    return header, np.cumsum(deltas.T, axis=0).reshape(frames, seats, len(COLUMNS))
