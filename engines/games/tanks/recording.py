"""What a battle leaves for the viewer: one frame per turn, packed for storage.

A replay is a zlib stream of a header line (JSON) and then, per round, its length in turns, the
tanks column by column as differences from turn to turn, and the bullets, each once: where it
started, where and how it ended. Numbers are little-endian. `unpack` is the exact inverse as far as
the rounding of `Frame` goes, and says in code what the viewer has to do.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from engines.games.tanks.energy import round_score
from engines.games.tanks.layout import EXPLODED, MAX_TANKS, MOVING, World
from engines.jit import njit

VERSION = 1

# Tenths of pixels and of points; angles in 65536ths of a circle.
TANK_COLUMNS = ("x", "y", "body", "gun", "radar", "energy", "state", "score")
_PIXEL, _POINT = 10.0, 10.0
_ANGLE = 65536 / (2 * math.pi)

BULLET_COLUMNS = ("owner", "power", "start", "x", "y", "end", "end_x", "end_y", "how")

_FLYING = 64
"""Bullets that a frame can hold; one more is not seen in a replay, and the battle goes on."""

FRAME = np.dtype(
    [
        ("round", np.int32),
        ("time", np.int32),
        ("tanks", np.int32, (MAX_TANKS, len(TANK_COLUMNS))),
        ("count", np.int32),
        ("bullets", np.int32, (_FLYING, 6)),
    ],
    align=True,
)
"""A turn. Bullets are owner, number, state, power in hundredths, x, y."""


def trim(frame: Any, seats: int) -> bytes:
    """A frame without the room that it does not use."""
    head = struct.pack("<iii", frame["round"], frame["time"], frame["count"])
    return b"".join(
        (head, frame["tanks"][:seats].tobytes(), frame["bullets"][: frame["count"]].tobytes())
    )


@njit
def fill(world: World, frame: Any) -> None:
    """Write the turn that has just been played."""
    frame.round = world.round
    frame.time = world.time
    for index in range(world.seats):
        tank, row = world.tanks[index], frame.tanks[index]
        row[0] = round(tank.x * _PIXEL)
        row[1] = round(tank.y * _PIXEL)
        row[2] = int(tank.body * _ANGLE) & 0xFFFF
        row[3] = int(tank.gun * _ANGLE) & 0xFFFF
        row[4] = int(tank.radar * _ANGLE) & 0xFFFF
        row[5] = math.ceil(tank.energy * _POINT)
        row[6] = tank.state
        row[7] = round(round_score(tank) * _POINT)
    count = 0
    for place in range(world.count):
        bullet = world.bullets[world.listed[place]]
        # An end is shown once, in its turn or the next.
        over = bullet.state > MOVING and (bullet.state == EXPLODED or bullet.frame >= 2)
        if not over and count < _FLYING:
            row = frame.bullets[count]
            row[0] = bullet.owner
            row[1] = bullet.number
            row[2] = bullet.state
            row[3] = round(bullet.power * 100)
            row[4] = round(bullet.x * _PIXEL)
            row[5] = round(bullet.y * _PIXEL)
            count += 1
    frame.count = count


def _parse(frame: bytes, seats: int) -> tuple[int, int, Any, Any]:
    round_number, time, count = struct.unpack_from("<iii", frame)
    numbers = np.frombuffer(frame, np.int32, offset=12)
    tanks = numbers[: seats * len(TANK_COLUMNS)]
    bullets = numbers[len(tanks) :].reshape(count, 6)
    return round_number, time, tanks, bullets


def pack(names: Sequence[str], width: float, height: float, frames: Sequence[bytes]) -> bytes:
    """All frames of a battle as the bytes that are stored."""
    seats = len(names)
    rounds: list[list[tuple[int, Any, Any]]] = []
    for frame in frames:
        number, time, tanks, bullets = _parse(frame, seats)
        while len(rounds) <= number:
            rounds.append([])
        rounds[number].append((time, tanks, bullets))
    header = {
        "version": VERSION,
        "names": list(names),
        "width": width,
        "height": height,
        "rounds": len(rounds),
    }
    parts = [json.dumps(header).encode() + b"\n"]
    for turns in rounds:
        tanks = np.stack([tanks for _, tanks, _ in turns])
        shots = _shots(turns)
        parts.append(struct.pack("<ii", len(turns), len(shots)))
        parts.append(np.diff(tanks, axis=0, prepend=0).T.astype("<i4").tobytes())
        parts.append(np.array(shots, "<i4").T.tobytes())
    return zlib.compress(b"".join(parts), 9)


def _shots(turns: Sequence[tuple[int, Any, Any]]) -> list[list[int]]:
    """Each bullet once, in the order of `BULLET_COLUMNS`."""
    shots: dict[tuple[int, int], list[int]] = {}
    for time, _, bullets in turns:
        for owner, number, state, power, x, y in bullets.tolist():
            shot = shots.get((owner, number))
            if shot is None:
                shot = shots[owner, number] = [owner, power, time, x, y, time, x, y, state]
            elif shot[8] <= MOVING:
                shot[5:] = [time, x, y, state]
    return list(shots.values())


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
