"""Pictures of a battle for readers without scripts: one turn of a replay as SVG."""

from __future__ import annotations

import math
from functools import lru_cache
from xml.sax.saxutils import escape

from engines.games.tanks.recording import BULLET_COLUMNS, TANK_COLUMNS, unpack

COLOURS = ("#4c78a8", "#e45756", "#54a24b", "#b279a2", "#f58518")
"""Colours of the seats, in order; readable on light and dark backgrounds."""

_X, _Y, _BODY, _GUN, _, _ENERGY, _, _ = range(len(TANK_COLUMNS))
_START, _END = BULLET_COLUMNS.index("start"), BULLET_COLUMNS.index("end")
_SIZE = 36
"""Size of a tank, in pixels of the field."""


_unpacked = lru_cache(maxsize=1)(unpack)
"""Cached, because pictures of the same battle are drawn one after the other."""


def count(replay: bytes) -> int:
    """One picture per turn, over all rounds; an empty battle has one, too."""
    _, rounds = _unpacked(replay)
    return max(1, sum(len(tanks) for tanks, _ in rounds))


def draw(replay: bytes, number: int, title: str) -> str:
    """The field after a turn; `number` counts from 0 over all rounds."""
    header, rounds = _unpacked(replay)
    width, height = header["width"], header["height"]
    parts = [f'<rect width="{width:g}" height="{height:g}" fill="#20242b"/>']
    said = title
    for place, (tanks, bullets) in enumerate(rounds, start=1):
        if number < len(tanks):
            said = f"{title}, round {place}, turn {number + 1}"
            rows = zip(header["names"], tanks[number].tolist(), strict=True)
            parts += [
                _tank(name, row, COLOURS[seat % len(COLOURS)], height)
                for seat, (name, row) in enumerate(rows)
                if row[_ENERGY] >= 0
            ]
            parts += [_bullet(row, number, height) for row in bullets.tolist()]
            break
        number -= len(tanks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">'
        f"<title>{escape(said)}</title>{''.join(parts)}</svg>"
    )


def _tank(name: str, row: list[int], colour: str, height: float) -> str:
    # Robocode counts y upwards, and angles clockwise from the top.
    x, y = row[_X] / 10, height - row[_Y] / 10
    body, gun = (row[angle] / 65536 * 360 for angle in (_BODY, _GUN))
    half = _SIZE / 2
    label = f"{escape(name)} {row[_ENERGY] / 10:.0f}"
    return (
        f'<g transform="translate({x:.1f} {y:.1f})">'
        f'<rect x="{-half:g}" y="{-half:g}" width="{_SIZE}" height="{_SIZE}" fill="{colour}"'
        f' transform="rotate({body:.0f})"/>'
        f'<line y2="{-_SIZE * 0.75:g}" stroke="#e8e8e8" stroke-width="5"'
        f' transform="rotate({gun:.0f})"/>'
        f'<text y="{_SIZE + 6}" fill="#e8e8e8" font-size="16" font-family="sans-serif"'
        f' text-anchor="middle">{label}</text></g>'
    )


def _bullet(row: list[int], turn: int, height: float) -> str:
    """The place of a bullet between its first and its last turn; it flies straight."""
    start, end = row[_START], row[_END]
    if not start <= turn <= end:
        return ""
    shot = dict(zip(BULLET_COLUMNS, row, strict=True))
    share = (turn - start) / max(1, end - start)
    x = (shot["x"] + share * (shot["end_x"] - shot["x"])) / 10
    y = height - (shot["y"] + share * (shot["end_y"] - shot["y"])) / 10
    radius = 2 + math.sqrt(shot["power"] / 100)
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#ffd75e"/>'
