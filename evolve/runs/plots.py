"""Small charts of runs, as self-contained SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 36, 36
COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#8e5ea2", "#777777")


def _frame(title: str, body: Sequence[str], height: int = HEIGHT) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="11">'
        f"<title>{escape(title)}</title>"
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
        f'<text x="{LEFT}" y="16" font-size="13">{escape(title)}</text>'
        f"{''.join(body)}</svg>\n"
    )


def _nice(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _bounds(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    if low == high:
        return low - 0.5, high + 0.5
    return low, high


def lines(title: str, series: Mapping[str, Sequence[float]], across: str = "generation") -> str:
    """Curves over the numbers 0, 1, …; all series have the same length."""
    values = [value for one in series.values() for value in one if math.isfinite(value)]
    if not values:
        return _frame(f"{title}: no data", [])
    low, high = _bounds(values)
    count = max(len(one) for one in series.values())

    def x(place: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * place / max(count - 1, 1)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low)

    body = []
    for step in range(5):
        value = low + (high - low) * step / 4
        body.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" '
            f'stroke="#dddddd"/><text x="{LEFT - 6}" y="{y(value) + 4:.1f}" '
            f'text-anchor="end">{_nice(value)}</text>'
        )
    body += [
        f'<text x="{x(place):.1f}" y="{HEIGHT - 18}" text-anchor="middle">{place}</text>'
        for place in sorted({0, (count - 1) // 2, count - 1})
    ]
    body.append(f'<text x="{WIDTH // 2}" y="{HEIGHT - 4}" text-anchor="middle">{across}</text>')
    for number, (name, one) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join(
            f"{x(place):.1f},{y(value):.1f}"
            for place, value in enumerate(one)
            if math.isfinite(value)
        )
        body.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        )
        body.append(
            f'<text x="{WIDTH - RIGHT - 90 * (len(series) - number)}" y="16" '
            f'fill="{colour}">{escape(name)}</text>'
        )
    return _frame(title, body)


def histogram(title: str, values: Sequence[float], low: float, high: float, bins: int = 40) -> str:
    """A histogram of values in a range."""
    counts = [0] * bins
    for value in values:
        counts[min(bins - 1, max(0, int((value - low) / (high - low) * bins)))] += 1
    top, width = max(counts) or 1, (WIDTH - LEFT - RIGHT) / bins
    body = [
        f'<rect x="{LEFT + width * place:.1f}" width="{width - 1:.1f}" '
        f'y="{HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * count / top:.1f}" '
        f'height="{(HEIGHT - TOP - BOTTOM) * count / top:.1f}" fill="{COLOURS[0]}"/>'
        for place, count in enumerate(counts)
    ]
    for share in (0.0, 0.5, 1.0):
        at = LEFT + (WIDTH - LEFT - RIGHT) * share
        body.append(
            f'<text x="{at:.1f}" y="{HEIGHT - 18}" text-anchor="middle">'
            f"{_nice(low + (high - low) * share)}</text>"
        )
    return _frame(title, body)


def bars(title: str, values: Mapping[str, float]) -> str:
    """A bar per name, to the right if positive."""
    height = TOP + 16 * len(values) + 12
    reach = max((abs(value) for value in values.values()), default=0.0) or 1.0
    middle, half = 400, 190
    body = []
    for place, (name, value) in enumerate(values.items()):
        y, length = TOP + 16 * place, half * abs(value) / reach
        x = middle if value >= 0 else middle - length
        colour = COLOURS[0] if value >= 0 else COLOURS[1]
        body.append(
            f'<text x="195" y="{y + 10}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{x:.1f}" y="{y}" width="{length:.1f}" height="12" fill="{colour}"/>'
            f'<text x="{WIDTH - 4}" y="{y + 10}" text-anchor="end">{value:+.3f}</text>'
        )
    return _frame(title, body, height)
