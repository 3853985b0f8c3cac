"""Geometry of the charts on pages: numbers in, SVG coordinates out. Templates do the drawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ladder.views import Bar, BoardRow, RatingPoint

WIDTH, HEIGHT = 720, 240
LEFT, RIGHT, TOP, BOTTOM = 40, 12, 12, 22
"""Margins of a chart: the left one holds the scale, the lower one the numbers of matches."""


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    label: str


@dataclass(frozen=True, slots=True)
class HistoryChart:
    """The course of a rating, oldest match first."""

    band: str
    """Outline of mu ± 3 sigma, as the points of a polygon."""
    middle: str
    """mu, as the points of a line."""
    lower: str
    """The score, mu - 3 sigma, as the points of a line."""
    scale: tuple[Tick, ...]
    versions: tuple[Tick, ...]
    """First match of each later version."""
    matches: int


def history_chart(points: Sequence[RatingPoint]) -> HistoryChart | None:
    """None with fewer than two points. `points` come newest first, as the API returns them."""
    course = list(reversed(points))
    if len(course) < 2:
        return None
    low = min(p.mu - 3 * p.sigma for p in course)
    high = max(p.mu + 3 * p.sigma for p in course)
    step = round_step(high - low)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step

    def x(i: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * i / (len(course) - 1)

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)

    def line(widths: float) -> list[str]:
        return [f"{x(i):.1f},{y(p.mu + widths * p.sigma):.1f}" for i, p in enumerate(course)]

    marks = range(round((high - low) / step) + 1)
    return HistoryChart(
        band=" ".join(line(3) + line(-3)[::-1]),
        middle=" ".join(line(0)),
        lower=" ".join(line(-3)),
        scale=tuple(Tick(round(y(low + i * step), 1), f"{low + i * step:g}") for i in marks),
        versions=tuple(
            Tick(round(x(i), 1), f"v{p.version}")
            for i, p in enumerate(course)
            if i and p.version != course[i - 1].version
        ),
        matches=len(course),
    )


def round_step(width: float) -> float:
    """A round step that divides a scale into about five parts."""
    rough = max(width, 1e-6) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)


SPARK_WIDTH, SPARK_HEIGHT = 62, 18
"""Size of a sparkline, in its own pixels. Points are whole numbers, so that pages stay small."""


def spark(scores: Sequence[float]) -> str:
    """The points of a small line of scores; empty with fewer than two scores."""
    if len(scores) < 2:
        return ""
    low, high = min(scores), max(scores)
    step = SPARK_WIDTH / (len(scores) - 1)
    scale = (SPARK_HEIGHT - 2) / max(high - low, 1.0)
    return " ".join(
        f"{i * step:.0f},{SPARK_HEIGHT - 1 - (score - low) * scale:.0f}"
        for i, score in enumerate(scores)
    )


MARK_WIDTH, MARK_HEIGHT = 60, 14
_MARKS = {"w": 0, "d": 5, "l": 9, "x": 9}
"""Height of each result: wins above, losses below, so that the marks need no colour."""


def marks(latest: str) -> dict[str, str]:
    """Small marks for the last results, newest last: a path for each kind of result.

    A place in a match of many seats stands the lower the later it is.
    """
    paths: dict[str, str] = {}
    for i, letter in enumerate(latest):
        height = _MARKS.get(letter, 0)
        if letter.isdigit():
            height, letter = min(9, (int(letter) or 10) - 1), "w" if letter == "1" else "d"
        stroke = f"M{6 * i} {height}h4v{4 if letter == 'd' else 5}h-4z"
        paths[letter] = paths.get(letter, "") + stroke
    return paths


def tell_marks(latest: str) -> str:
    """The last results in words, newest first."""
    words = {"w": "won", "d": "drawn", "l": "lost", "x": "lost by a fault"}
    return ", ".join(
        words.get(letter, f"place {letter if letter != '0' else '10 or later'}")
        for letter in reversed(latest)
    )


@dataclass(frozen=True, slots=True)
class Span:
    """An interval of mu ± 3 sigma and its middle, in percent of a common width."""

    start: float
    width: float
    middle: float


def spans(rows: Sequence[BoardRow]) -> dict[int, Span]:
    """By bot, on one scale for all rows."""
    if not rows:
        return {}
    low = min(row.mu - 3 * row.sigma for row in rows)
    high = max(row.mu + 3 * row.sigma for row in rows)
    percent = 100 / max(high - low, 1e-9)
    return {
        row.bot_id: Span(
            start=round((row.mu - 3 * row.sigma - low) * percent, 2),
            width=round(6 * row.sigma * percent, 2),
            middle=round((row.mu - low) * percent, 2),
        )
        for row in rows
    }


@dataclass(frozen=True, slots=True)
class ClockChart:
    """The time of every move, a bar each: the first seat's upwards, those of others downwards."""

    bars: tuple[tuple[int, str], ...]
    """Seat, and the path of all its bars."""
    width: float
    """Of a bar."""
    middle: float
    slowest_ms: float
    left: float
    step: float
    """A move is at `left` plus its number, from 0, times `step`."""


CLOCK_HEIGHT = 110


def clock_chart(times: Sequence[tuple[int, float]]) -> ClockChart | None:
    """`times`: seat and milliseconds of each move. None when all are zero."""
    slowest = max((ms for _, ms in times), default=0.0)
    if slowest <= 0:
        return None
    middle = CLOCK_HEIGHT / 2
    reach = middle - TOP
    step = (WIDTH - LEFT - RIGHT) / len(times)
    paths: dict[int, list[str]] = {}
    for number, (seat, ms) in enumerate(times):
        height = reach * ms / slowest
        if height >= 0.05:
            up = -height if seat == 0 else height
            x = LEFT + (number + 0.5) * step
            paths.setdefault(seat, []).append(f"M{x:.1f} {middle:g}v{up:.1f}")
    return ClockChart(
        bars=tuple((seat, "".join(path)) for seat, path in sorted(paths.items())),
        width=round(max(0.6, min(8.0, step * 0.7)), 2),
        middle=middle,
        slowest_ms=slowest,
        left=LEFT + 0.5 * step,
        step=step,
    )


@dataclass(frozen=True, slots=True)
class CourseChart:
    """A number of each position of a match, as a line of steps."""

    line: str
    most: float
    """The largest size of the number."""
    middle: float
    left: float
    step: float
    """A position is at `left` plus its number less 1, times `step`."""


def course_chart(values: Sequence[float]) -> CourseChart | None:
    """`values`: one before the first move, and one after each. None when all are zero."""
    most = max(map(abs, values), default=0.0)
    if most == 0:
        return None
    middle = CLOCK_HEIGHT / 2
    step = (WIDTH - LEFT - RIGHT) / (len(values) - 1) if len(values) > 1 else 0.0
    heights = [middle - (middle - TOP) * value / most for value in values]
    line = f"M{LEFT} {heights[0]:.1f}" + "".join(
        f"H{LEFT + number * step:.1f}V{height:.1f}" for number, height in enumerate(heights)
    )
    # The same scale as the clocks, in which a bar is in the middle of its move.
    return CourseChart(line, most, middle, left=LEFT + step, step=step)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a histogram."""

    x: float
    y: float
    height: float
    label: str
    count: int


BAR_HEIGHT = 130
COLUMN_WIDTH = 58


def columns(bars: Sequence[Bar]) -> list[Column]:
    """A histogram of times in milliseconds."""
    most = max((bar.matches for bar in bars), default=0)
    found = []
    for index, bar in enumerate(bars):
        height = (BAR_HEIGHT - 40) * bar.matches / max(most, 1)
        label = "more" if bar.below_ms is None else f"<{bar.below_ms:g}"
        found.append(
            Column(
                x=LEFT + index * COLUMN_WIDTH,
                y=round(BAR_HEIGHT - 20 - height, 1),
                height=round(height, 1),
                label=label,
                count=bar.matches,
            )
        )
    return found


def heat(share: float) -> str:
    """The CSS class of a score in a table: from `heat-0` to `heat-10`."""
    return f"heat-{round(share * 10)}"
