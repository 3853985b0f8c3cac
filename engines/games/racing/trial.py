"""Whole time trials of house drivers and programs in compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.games.racing import drivers, entry, layout, tracks
from engines.games.racing.line import ideal_line
from engines.games.racing.program import load, new_seat_programs
from engines.programs.code import Code

_SEED = 0xFFFFFFF


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The result of one car."""

    lap_times: tuple[float, ...]
    """The times of the finished laps; the first is from a speed of 20 feet per second."""
    way: float
    """Feet since the line."""
    instructions: int
    """Instructions that its program executed; 0 for house drivers."""


def time_trial(
    entrants: Sequence[str | Code], track: str, seed: int, laps: int = 1, seconds: float = 1e9
) -> list[TrialResult]:
    """Let house drivers (by name) and programs drive alone on a track, all with the same friction.

    It ends after the laps of all, or after these seconds of the race.
    """
    worlds = new_worlds(len(entrants), laps=laps, alone=True)
    seat_programs = new_seat_programs([])
    for seat, entrant in enumerate(entrants):
        if isinstance(entrant, Code):
            worlds["cars"]["driver"][0, seat] = drivers.PROGRAM
            load(seat_programs, seat, entrant)
        else:
            worlds["cars"]["driver"][0, seat] = drivers.DRIVERS[entrant]
    plan, line = tracks.load(track), ideal_line(track)
    entry.begin(worlds, plan, seed & _SEED)
    entry.drive_on(worlds, plan, line, seat_programs, seconds)
    ways = np.zeros(len(entrants))
    entry.tell_ways(worlds, plan, ways)
    memory = seat_programs["seats"]["memory"][0]
    return [
        TrialResult(
            tuple(car["lap_times"][: max(0, min(int(car["laps"]), layout.MOST_LAPS))].tolist()),
            float(ways[seat]),
            int(memory[seat, -1]),
        )
        for seat, car in enumerate(worlds["cars"][0, : len(entrants)])
    ]


def new_worlds(cars: int, laps: int, alone: bool) -> Any:
    """An array of one race with the defaults of RARS: surface 1, and random friction."""
    worlds = np.zeros(1, layout.WORLD)
    worlds["count"], worlds["laps"], worlds["alone"] = cars, laps, alone
    worlds["surface"], worlds["random_motion"] = 1, True
    return worlds
