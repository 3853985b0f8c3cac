"""Points of a race, and the comparison of a time trial."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.competition import Outcome
from engines.games.racing import entry, tracks

POINTS = (20, 16, 14, 12, 10, 8, 6, 5, 4, 3, 2, 1)
"""IndyCar's, by place; another point is for the most laps led."""


def _cars(world: Any) -> Any:
    return world["cars"][: world["count"]]


def points(world: Any) -> list[int]:
    """The points of each seat. All with the most laps led get the point for it."""
    cars = _cars(world)
    most = max(int(car["laps_led"]) for car in cars)
    return [
        POINTS[int(car["position"])] + int(most > 0 and car["laps_led"] == most) for car in cars
    ]


def columns(world: Any, alone: bool) -> list[dict[str, float]]:
    """The parts of the result, by seat."""
    shared = [
        {
            "laps": max(int(car["laps"]), 0),
            "bestLap": round(float(car["best_lap"]), 3),
            "damage": int(car["damage"]),
        }
        for car in _cars(world)
    ]
    if alone:
        return shared
    return [
        {
            "points": gained,
            "wins": int(car["position"] == 0),
            "lapsLed": int(car["laps_led"]),
            "pitStops": int(car["pit_stops"]),
            **one,
        }
        for one, gained, car in zip(shared, points(world), _cars(world), strict=True)
    ]


def outcome(worlds: Any, track: str, alone: bool) -> Outcome:
    """The result of a race that is over."""
    return _trial(worlds, track) if alone else _race(worlds[0], track)


def _race(world: Any, track: str) -> Outcome:
    winner = int(world["order"][0])
    first = world["cars"][winner]
    count = int(world["laps"])
    laps = f"{count} lap{'s' * (count != 1)} of {track}"
    if first["finish_time"] > 0:
        said = f"seat {winner} wins {laps} in {first['finish_time']:.2f} s"
    else:
        said = f"nobody finishes {laps}; seat {winner} comes farthest"
    return Outcome(tuple(map(float, points(world))), said)


def _trial(worlds: Any, track: str) -> Outcome:
    """The best laps count, as speeds; without one, the part of the first lap."""
    length = float(tracks.load(track)[0]["length"])
    cars = _cars(worlds[0])
    ways = np.zeros(len(cars))
    entry.tell_ways(worlds, tracks.load(track), ways)
    scores = [
        length / float(car["best_lap"]) if car["laps"] >= 1 else min(max(way / length, 0.0), 1.0)
        for car, way in zip(cars, ways.tolist(), strict=True)
    ]
    best = max(range(len(scores)), key=scores.__getitem__)
    lap = float(cars[best]["best_lap"])
    if lap > 0:
        return Outcome(tuple(scores), f"seat {best} has the best lap of {track}, {lap:.2f} s")
    return Outcome(tuple(scores), f"nobody finishes a lap of {track}")
