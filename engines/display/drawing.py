"""Board pictures as SVG: presentation attributes only, readable on light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.sax.saxutils import escape

CELL = 20
"""Side of a board cell in picture units."""
MARGIN = 14
"""Margin for the coordinates around the board."""
LABEL = "#808890"
"""A grey with enough contrast on white and black."""
MARK = "#e8553a"
"""Colour of the mark on the last move."""
_HEAD = 7
"""Length of the head of an arrow."""


def centre(column: int, row: int) -> tuple[int, int]:
    """Middle of a cell; row 0 is the top one."""
    return MARGIN + column * CELL + CELL // 2, MARGIN + row * CELL + CELL // 2


def picture(title: str, columns: int, rows: int, parts: Iterable[str]) -> str:
    """The whole `<svg>` element of a board with these numbers of columns and rows."""
    width, height = 2 * MARGIN + columns * CELL, 2 * MARGIN + rows * CELL
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def group(parts: Iterable[str], **attributes: str) -> str:
    """Group parts with common presentation attributes; `stroke_width` means `stroke-width`."""
    content = "".join(parts)
    if not content:
        return ""
    pairs = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f"<g{pairs}>{content}</g>"


def disc(column: int, row: int, radius: float) -> str:
    x, y = centre(column, row)
    return f'<circle cx="{x}" cy="{y}" r="{radius:g}"/>'


def cell(column: int, row: int) -> str:
    """One cell, filled."""
    return (
        f'<rect x="{MARGIN + column * CELL}" y="{MARGIN + row * CELL}"'
        f' width="{CELL}" height="{CELL}"/>'
    )


def trail(cells: Iterable[tuple[int, int]]) -> str:
    """An arrow along the path of a piece; it marks the last move."""
    points = [centre(*place) for place in cells]
    (x0, y0), (x, y) = points[-2:]
    length = math.hypot(x - x0, y - y0)
    along, across = ((x - x0) / length, (y - y0) / length), ((y0 - y) / length, (x - x0) / length)

    def behind(back: float, aside: float) -> str:
        """A point at a distance behind the tip, and at a distance to its side."""
        return (
            f"{x - back * along[0] + aside * across[0]:.1f},"
            f"{y - back * along[1] + aside * across[1]:.1f}"
        )

    way = " ".join([*(f"{a},{b}" for a, b in points[:-1]), behind(_HEAD, 0)])
    return group(
        [
            f'<polyline points="{way}" fill="none" stroke="{MARK}" stroke-width="2"'
            ' stroke-linecap="round" stroke-linejoin="round"/>',
            f'<polygon points="{behind(0, 0)} {behind(_HEAD, 3.5)} {behind(_HEAD, -3.5)}"/>',
        ],
        fill=MARK,
        opacity="0.85",
    )


def panel(columns: int, rows: int, fill: str, corner: int = 2) -> str:
    """The background of the board."""
    return (
        f'<rect x="{MARGIN}" y="{MARGIN}" width="{columns * CELL}" height="{rows * CELL}"'
        f' rx="{corner}" fill="{fill}"/>'
    )


def grid(columns: int, rows: int, stroke: str) -> str:
    """The lines between the cells."""
    down = (f"M{MARGIN + c * CELL} {MARGIN}v{rows * CELL}" for c in range(1, columns))
    across = (f"M{MARGIN} {MARGIN + r * CELL}h{columns * CELL}" for r in range(1, rows))
    return f'<path d="{"".join(down)}{"".join(across)}" stroke="{stroke}" fill="none"/>'


def labels(columns: Iterable[str], rows: Iterable[str] = ()) -> str:
    """Coordinates: columns along the top, rows down the left side, from the top."""
    texts = [
        f'<text x="{centre(index, 0)[0]}" y="{MARGIN - 4}">{label}</text>'
        for index, label in enumerate(columns)
    ]
    texts += [
        f'<text x="{MARGIN // 2}" y="{centre(0, index)[1] + 3}">{label}</text>'
        for index, label in enumerate(rows)
    ]
    return group(texts, fill=LABEL, font_size="9", font_family="sans-serif", text_anchor="middle")
