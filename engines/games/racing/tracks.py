"""The tracks: read from the package's data, and laid out in the plane.

`tracks.jsonl` has a line per track, with the name of the file in the RARS distribution that its
figures come from. A segment is a pair of numbers: the radius of the right wall (0 is a straight,
negative a right turn) and the length, in feet of a straight and in radians of a curve.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from engines.games.racing.layout import TRACK

DATA = Path(__file__).with_name("tracks.jsonl")


@dataclass(frozen=True, slots=True)
class TrackPlan:
    """A track as its file describes it."""

    name: str
    source: str
    """The file in the RARS distribution."""
    width: float
    start: tuple[float, float, float]
    """Where the right wall begins, and its heading."""
    finish: float
    """The finish line, as a part of segment 0."""
    rows: int
    """Cars side by side at the start."""
    pit: tuple[float, ...]
    """Side (1 right, -1 left), entry, begin and end of the lane, exit, speed of the lane."""
    segments: tuple[tuple[float, float], ...]
    """The radius of the right wall, and the length, of each segment."""


@cache
def plans() -> Mapping[str, TrackPlan]:
    """All tracks by name."""
    rows = (json.loads(line) for line in DATA.read_text().splitlines())
    return {row["name"]: _plan(row) for row in rows}


def _plan(row: Mapping[str, Any]) -> TrackPlan:
    numbers = row["segments"]
    return TrackPlan(
        name=row["name"],
        source=row["source"],
        width=row["width"],
        start=tuple(row["start"]),
        finish=row["finish"],
        rows=row["rows"],
        pit=tuple(row["pit"]),
        segments=tuple(zip(numbers[::2], numbers[1::2], strict=True)),
    )


@cache
def load(name: str) -> Any:
    """An array of one record of the named track; raises `KeyError`. Do not change it."""
    return lay_out(plans()[name])


def lay_out(plan: TrackPlan) -> Any:
    """Lay a track out by dead reckoning along its right wall."""
    track = np.zeros(1, TRACK)
    one = track[0]
    one["count"], one["rows"], one["width"] = len(plan.segments), plan.rows, plan.width
    one["finish"] = plan.finish
    for name, value in zip(
        ("pit_side", "pit_entry", "lane_start", "lane_end", "pit_exit", "lane_speed"),
        plan.pit,
        strict=True,
    ):
        one[name] = value
    x, y, heading = plan.start
    one["line"] = plan.finish * plan.segments[0][1]
    left_x, left_y = x - plan.width * math.sin(heading), y + plan.width * math.cos(heading)
    length, distance = 0.0, -one["line"]
    for place, (radius, span) in enumerate(plan.segments):
        segment = one["segments"][place]
        segment["right"], segment["length"] = radius, span
        segment["begin"], segment["x"], segment["y"] = heading, x, y
        segment["left_x"], segment["left_y"] = left_x, left_y
        segment["cos"], segment["sin"] = math.cos(heading), math.sin(heading)
        if radius == 0:
            along_x, along_y = span * math.cos(heading), span * math.sin(heading)
            x, y, left_x, left_y = x + along_x, y + along_y, left_x + along_x, left_y + along_y
            middle = span
        else:
            left = radius - plan.width
            segment["left"] = left
            centre_x, centre_y = x - radius * math.sin(heading), y + radius * math.cos(heading)
            segment["centre_x"], segment["centre_y"] = centre_x, centre_y
            before, heading = heading, _wrapped(heading + math.copysign(span, radius))
            x, y = centre_x + radius * math.sin(heading), centre_y - radius * math.cos(heading)
            left_x, left_y = (
                left_x - left * math.sin(before) + left * math.sin(heading),
                left_y + left * math.cos(before) - left * math.cos(heading),
            )
            middle = abs(span * (radius + left) / 2)
        length, distance = length + middle, distance + middle
        segment["end"], segment["distance"] = heading, distance
    one["length"] = length
    return track


def _wrapped(heading: float) -> float:
    """One turn of the circle at most, with the truncated pi of RARS."""
    full = 2 * PI
    if heading > full:
        return heading - full
    return heading + full if heading < -full else heading


PI = 3.14159265


MOST_POINTS = 300
"""Of a path, so that pictures stay small."""


@cache
def path(name: str) -> list[list[int]]:
    """Points of the middle of the road, in feet, evenly spaced."""
    plan, track = plans()[name], load(name)[0]
    count = min(MOST_POINTS, max(40, int(track["length"] / 40)))
    ends = np.cumsum(
        [
            length if radius == 0 else length * abs(radius - plan.width / 2)
            for radius, length in plan.segments
        ]
    )
    points = []
    for number in range(count):
        way = ends[-1] * number / count
        place = int(np.searchsorted(ends, way, side="right"))
        segment = track["segments"][place]
        inside = way - (ends[place - 1] if place else 0.0)
        points.append([round(float(value)) for value in _middle(segment, inside, plan.width)])
    return points


def _middle(segment: Any, way: float, width: float) -> tuple[float, float]:
    """The middle of the road, so far into a segment."""
    if segment["right"] == 0:
        x = segment["x"] + way * segment["cos"] - width / 2 * segment["sin"]
        return x, segment["y"] + way * segment["sin"] + width / 2 * segment["cos"]
    radius = segment["right"] - width / 2
    heading = segment["begin"] + way / radius
    return (
        segment["centre_x"] + radius * math.sin(heading),
        segment["centre_y"] - radius * math.cos(heading),
    )
