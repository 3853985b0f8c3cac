"""Pictures of a race for readers without scripts: one frame of a replay as SVG."""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from xml.sax.saxutils import escape

from engines.games.racing.recording import COLUMNS, OUT, unpack

COLOURS = (
    *("#4c78a8", "#e45756", "#54a24b", "#b279a2", "#f58518", "#72b7b2"),
    *("#eeca3b", "#ff9da6", "#9d755d", "#bab0ac", "#5f9ed1", "#c85200"),
)
"""Colours of the seats, in order; readable on the dark ground of the picture."""

_X, _Y, _BODY, _SPEED, _WAY, _DAMAGE, _FUEL, _PLACE, _STATE = range(len(COLUMNS))

_unpacked = lru_cache(maxsize=1)(unpack)
"""Cached, because pictures of the same race are drawn one after the other."""


def count(replay: bytes) -> int:
    """One picture per frame; an empty race has one, too."""
    header, _ = _unpacked(replay)
    return max(1, int(header["frames"]))


def draw(replay: bytes, number: int, title: str) -> str:
    """The track with all cars at a frame, and the order of the race beside it."""
    header, cars = _unpacked(replay)
    path = header["path"]
    edge = header["width"]
    left, right = min(x for x, _ in path) - edge, max(x for x, _ in path) + edge
    low, high = min(y for _, y in path) - edge, max(y for _, y in path) + edge
    width, height = right - left, high - low
    unit = max(width, height) / 100
    margin = 30 * unit
    shown = f"{title} on {header['track']}"
    parts = [
        f'<rect width="{width + margin:.0f}" height="{height:.0f}" fill="#20242b"/>',
        _road(path, left, high, header["width"]),
    ]
    if number < len(cars):
        seconds = number * header["seconds"]
        shown += f", {seconds:.1f} s"
        rows = cars[number].tolist()
        parts += [_car(seat, row, left, high, unit) for seat, row in enumerate(rows)]
        parts += _table(header, rows, width + unit, unit)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + margin:.0f} {height:.0f}"'
        f' role="img"><title>{escape(shown)}</title>{"".join(parts)}</svg>'
    )


def _road(path: list[list[int]], left: float, high: float, width: float) -> str:
    points = " ".join(f"{x - left:.0f},{high - y:.0f}" for x, y in path)
    return (
        f'<polygon points="{points}" fill="none" stroke="#5a616d" stroke-width="{width:g}"'
        ' stroke-linejoin="round"/>'
    )


def _car(seat: int, row: list[int], left: float, high: float, unit: float) -> str:
    # RARS counts y upwards.
    x, y = row[_X] / 10 - left, high - row[_Y] / 10
    colour = COLOURS[seat % len(COLOURS)] if row[_STATE] != OUT else "#20242b"
    turn = -row[_BODY] / 65536 * 360
    long, wide = max(20.0, 2.4 * unit), max(10.0, 1.2 * unit)
    return (
        f'<rect x="{-long / 2:.0f}" y="{-wide / 2:.0f}" width="{long:.0f}" height="{wide:.0f}"'
        f' rx="{wide / 3:.0f}" fill="{colour}" stroke="#e8e8e8" stroke-width="{unit / 6:.1f}"'
        f' transform="translate({x:.0f} {y:.0f}) rotate({turn:.0f})"/>'
    )


def _table(header: dict[str, Any], rows: list[list[int]], x: float, unit: float) -> list[str]:
    order = sorted(range(len(rows)), key=lambda seat: rows[seat][_PLACE])
    lines = []
    for place, seat in enumerate(order):
        row = rows[seat]
        lap = max(0, int(row[_WAY] // header["length"])) + 1
        said = f"{place + 1} {header['names'][seat]}, lap {lap}, {row[_SPEED] / 10:.0f} ft/s"
        if row[_STATE] == OUT:
            said = f"{place + 1} {header['names'][seat]}, out"
        lines.append(
            f'<text x="{x:.0f}" y="{(place + 1) * 3 * unit:.0f}" font-size="{1.8 * unit:.0f}"'
            f' font-family="sans-serif" fill="{COLOURS[seat % len(COLOURS)]}">{escape(said)}</text>'
        )
    return lines
