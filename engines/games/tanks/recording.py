"""The replay of a battle for the viewer: a film of one frame per turn, packed for storage.

A replay is a zlib stream of a header line (JSON) and then, per round, its length in turns, the
tanks column by column as differences from turn to turn, and each bullet once: its start, its end
and the kind of end. Numbers are little-endian. `unpack` is the exact inverse except for the
rounding of `film`, and shows in code the task of the viewer.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.compiling.jit import njit
from engines.games.tanks.energy import round_score
from engines.games.tanks.layout import EXPLODED, MAX_TANKS, MOVING, World

VERSION = 1

# Tenths of pixels and of points; angles in 65536ths of a circle.
TANK_COLUMNS = ("x", "y", "body", "gun", "radar", "energy", "state", "score")
_PIXEL, _POINT = 10.0, 10.0
_ANGLE = 65536 / (2 * math.pi)

BULLET_COLUMNS = ("owner", "power", "start", "x", "y", "end", "end_x", "end_y", "how")

_FLYING = 64
"""The most bullets in a frame; further ones are missing in the replay, not in the battle."""

_HEAD, _TANK, _BULLET = 3, len(TANK_COLUMNS), 6
LONGEST = _HEAD + MAX_TANKS * _TANK + _FLYING * _BULLET
"""Numbers of the longest frame: round, time, count of bullets; the tanks; and the bullets, each
as owner, number, state, power in hundredths, x, y."""


@njit
def film(world: World, film: Any, place: int) -> int:
    """Write the last turn; returns the place of the next one."""
    film[place], film[place + 1] = world.round, world.time
    head = place + 2
    place += _HEAD
    for index in range(world.seats):
        _film_tank(world.tanks[index], film[place : place + _TANK])
        place += _TANK
    count = 0
    for listed in range(world.count):
        bullet = world.bullets[world.listed[listed]]
        # Each end is shown once, in its turn or the next.
        over = bullet.state > MOVING and (bullet.state == EXPLODED or bullet.frame >= 2)
        if not over and count < _FLYING:
            _film_bullet(bullet, film[place : place + _BULLET])
            place += _BULLET
            count += 1
    film[head] = count
    return place


@njit
def _film_tank(tank: Any, row: Any) -> None:
    row[0] = round(tank.x * _PIXEL)
    row[1] = round(tank.y * _PIXEL)
    row[2] = int(tank.body * _ANGLE) & 0xFFFF
    row[3] = int(tank.gun * _ANGLE) & 0xFFFF
    row[4] = int(tank.radar * _ANGLE) & 0xFFFF
    row[5] = math.ceil(tank.energy * _POINT)
    row[6] = tank.state
    row[7] = round(round_score(tank) * _POINT)


@njit
def _film_bullet(bullet: Any, row: Any) -> None:
    row[0] = bullet.owner
    row[1] = bullet.number
    row[2] = bullet.state
    row[3] = round(bullet.power * 100)
    row[4] = round(bullet.x * _PIXEL)
    row[5] = round(bullet.y * _PIXEL)


@njit
def _starts(film: Any, seats: int, starts: Any) -> int:
    """Write the beginning of each frame to `starts`; returns their number."""
    place = count = 0
    while place < len(film):
        starts[count] = place
        count += 1
        place += _HEAD + seats * _TANK + film[place + 2] * _BULLET
    return count


def pack(names: Sequence[str], width: float, height: float, film: bytes) -> bytes:
    """A whole film as bytes for storage."""
    seats = len(names)
    numbers = np.frombuffer(film, np.int32)
    starts = np.empty(len(numbers) // _HEAD, np.int64)
    starts = starts[: _starts(numbers, seats, starts)]
    rounds = numbers[starts]
    count = int(rounds[-1]) + 1 if len(rounds) else 0
    header = {
        "version": VERSION,
        "names": list(names),
        "width": width,
        "height": height,
        "rounds": count,
    }
    parts = [json.dumps(header).encode() + b"\n"]
    for number in range(count):
        turns = starts[rounds == number]
        tanks = numbers[turns[:, None] + np.arange(_HEAD, _HEAD + seats * _TANK)]
        shots = _shots(numbers, turns, seats)
        parts.append(struct.pack("<ii", len(turns), len(shots)))
        parts.append(np.diff(tanks, axis=0, prepend=0).T.astype("<i4").tobytes())
        parts.append(shots.T.astype("<i4").tobytes())
    return zlib.compress(b"".join(parts), 9)


def _shots(numbers: Any, turns: Any, seats: int) -> Any:
    """Each bullet of a round once, in the order of `BULLET_COLUMNS` and of first appearance."""
    counts = numbers[turns + 2]
    total = int(counts.sum())
    within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    places = np.repeat(turns + _HEAD + seats * _TANK, counts) + within * _BULLET
    owner, number, state, power, x, y = numbers[places[:, None] + np.arange(_BULLET)].T
    time = np.repeat(numbers[turns + 1], counts)
    keys = owner.astype(np.int64) << 32 | number
    _, first, shot = np.unique(keys, return_index=True, return_inverse=True)
    # The last place of each: in the frame of its impact, if there is one.
    last = np.zeros(len(first), np.int64)
    last[shot] = np.arange(total)
    struck = np.flatnonzero(state > MOVING)[::-1]
    last[shot[struck]] = struck
    by_time = np.argsort(first)
    first, last = first[by_time], last[by_time]
    start = (owner[first], power[first], time[first], x[first], y[first])
    return np.stack([*start, time[last], x[last], y[last], state[last]], axis=1)


def unpack(replay: bytes) -> tuple[dict[str, Any], list[tuple[Any, Any]]]:
    """The header, and per round the tanks (turn, seat, column) and the bullets (bullet, column)."""
    raw = zlib.decompress(replay)
    line, _, body = raw.partition(b"\n")
    header = json.loads(line)
    seats, columns = len(header["names"]), len(TANK_COLUMNS)
    rounds = []
    place = 0
    for _ in range(header["rounds"]):
        turns, shots = struct.unpack_from("<ii", body, place)
        place += 8
        deltas = np.frombuffer(body, "<i4", turns * seats * columns, place)
        place += deltas.nbytes
        tanks = np.cumsum(deltas.reshape(seats * columns, turns).T, axis=0)
        bullets = np.frombuffer(body, "<i4", shots * len(BULLET_COLUMNS), place)
        place += bullets.nbytes
        rounds.append(
            (
                tanks.reshape(turns, seats, columns),
                bullets.reshape(len(BULLET_COLUMNS), shots).T,
            )
        )
    return header, rounds
