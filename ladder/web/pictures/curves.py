"""Geometry of the curves of an evolution run: generations in, SVG coordinates out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ladder.views import GenerationView
from ladder.web.pictures.charts import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Tick, round_step

MOST_POINTS = 400
"""Most points of a curve, since a screen shows no more. A longer run is drawn with a stride."""


@dataclass(frozen=True, slots=True)
class Curve:
    name: str
    look: str
    """The CSS class; curves differ by dashes as well as by colour."""
    points: str


@dataclass(frozen=True, slots=True)
class CurveChart:
    curves: tuple[Curve, ...]
    band: str
    """Points of a polygon behind the curves, or empty."""
    scale: tuple[Tick, ...]
    generations: tuple[Tick, ...]


Points = Sequence[tuple[int, float]]


def fitness_chart(generations: Sequence[GenerationView]) -> CurveChart | None:
    """Best and mean of each generation, and the band of one standard deviation around the mean."""
    shown = _thinned(generations)
    band = [(g.generation, max(g.worst, g.mean - g.stdev)) for g in shown]
    upper = [(g.generation, min(g.best, g.mean + g.stdev)) for g in reversed(shown)]
    curves: dict[tuple[str, str], Points] = {
        ("best", "score"): [(g.generation, g.best) for g in shown],
        ("mean", "second"): [(g.generation, g.mean) for g in shown],
    }
    return _chart(curves, [*band, *upper])


def size_chart(generations: Sequence[GenerationView]) -> CurveChart | None:
    """Nodes of the best and of the average individual."""
    shown = _thinned(generations)
    curves: dict[tuple[str, str], Points] = {
        ("best", "score"): [(g.generation, g.size_best) for g in shown],
        ("mean", "second"): [(g.generation, g.size_mean) for g in shown],
    }
    return _chart(curves, lowest=0.0)


def diversity_chart(generations: Sequence[GenerationView]) -> CurveChart | None:
    """None when the run does not measure diversity."""
    shown = _thinned(generations)
    measured = [(g.generation, g.diversity) for g in shown if g.diversity is not None]
    return _chart({("diversity", "score"): measured}, lowest=0.0)


def _thinned(generations: Sequence[GenerationView]) -> list[GenerationView]:
    """At most `MOST_POINTS` generations in equal steps, with the last one."""
    stride = -(-len(generations) // MOST_POINTS) or 1
    return list(generations[::-1][::stride])[::-1]


def _chart(
    curves: dict[tuple[str, str], Points], band: Points = (), lowest: float | None = None
) -> CurveChart | None:
    """None with fewer than two generations."""
    points = [point for one in curves.values() for point in one]
    first, last = min((x for x, _ in points), default=0), max((x for x, _ in points), default=0)
    if first == last:
        return None
    values = [value for _, value in [*points, *band]]
    low, high = min(values), max(values)
    low = low if lowest is None else min(low, lowest)
    step = round_step(max(high - low, abs(high) * 1e-6))  # a flat curve has a scale too
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    high = high if high > low else low + step

    def place(point: tuple[int, float]) -> str:
        x = LEFT + (WIDTH - LEFT - RIGHT) * (point[0] - first) / (last - first)
        return f"{x:.1f},{y(point[1]):.1f}"

    def y(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)

    stride = max(1, round(round_step(last - first)))
    marks = range(round((high - low) / step) + 1)
    return CurveChart(
        curves=tuple(
            Curve(name, look, " ".join(map(place, found))) for (name, look), found in curves.items()
        ),
        band=" ".join(map(place, band)),
        scale=tuple(Tick(round(y(low + i * step), 1), f"{low + i * step:.6g}") for i in marks),
        generations=tuple(
            Tick(float(place((at, low)).partition(",")[0]), str(at))
            for at in range(-(-first // stride) * stride, last + 1, stride)
        ),
    )
