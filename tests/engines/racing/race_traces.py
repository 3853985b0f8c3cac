"""Replays recorded traces of the real RARS tick by tick, and reports differences."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from engines.compiling.jit import njit
from engines.games.racing import layout, race, tracks

OBSERVED = (
    *("x", "y", "xdot", "ydot", "ang", "seg", "to_lft", "to_rgt", "to_end", "v", "vn"),
    *("cur_rad", "nex_rad", "cur_len", "nex_len", "distance", "laps", "lap_time"),
    *("backward", "dead_ahead", "damage"),
)
MOVED = ("fuel", "alpha", "vc", "power_req", "power", "cen_a", "tan_a", "out", "done")
ORDERS = ("cmd_vc", "cmd_alpha", "cmd_fuel")


class TraceReplay:
    """One trace: the orders and states of all cars, and how the same race goes here."""

    def __init__(self, path: Path) -> None:
        self.about = json.loads(path.with_name(path.name.replace(".csv.gz", ".json")).read_text())
        with gzip.open(path, "rt") as file:
            names = file.readline().strip().split(",")
            rows = np.loadtxt(file, delimiter=",")
        cars = len(self.about["drivers"])
        rows = rows.reshape(-1, cars, len(names))
        column = {name: place for place, name in enumerate(names)}
        self.orders = np.ascontiguousarray(rows[:, :, [column[name] for name in ORDERS]])
        self.wanted = rows[:, :, [column[name] for name in (*OBSERVED, *MOVED)]]
        self.worlds = np.zeros(1, layout.WORLD)
        self.worlds["count"] = cars
        self.worlds["laps"] = self.about["laps"]
        self.worlds["surface"] = self.about["surface"]
        self.worlds["random_motion"] = self.about["seed"] >= 0
        self.track = tracks.load(self.about["track"])

    def run(self) -> Any:
        """The states of all ticks, in the order of `wanted`."""
        _start(self.worlds, self.track, max(self.about["seed"], 0))
        ticks, cars, _ = self.orders.shape
        states = np.zeros((ticks, cars, len(OBSERVED) + len(MOVED)))
        for tick in range(ticks):
            if tick:
                _observe(self.worlds, self.track)
            self._read(states[tick], 0, OBSERVED)
            _control(self.worlds, self.track, self.orders[tick])
            # The real program sets the fuel of a car while it asks its driver.
            self._read(states[tick], len(OBSERVED), ("fuel",))
            _advance(self.worlds, self.track)
            self._read(states[tick], len(OBSERVED) + 1, MOVED[1:])
        return states

    def _read(self, states: Any, first: int, names: tuple[str, ...]) -> None:
        cars = self.worlds["cars"][0, : len(states)]
        for place, name in enumerate(names, start=first):
            states[:, place] = cars[name]


@njit
def _start(worlds: Any, track: Any, seed: int) -> None:
    race.start(worlds[0], track[0], seed)


@njit
def _observe(worlds: Any, track: Any) -> None:
    race.observe_all(worlds[0], track[0])


@njit
def _control(worlds: Any, track: Any, orders: Any) -> None:
    world = worlds[0]
    for index in range(world.count):
        car = world.cars[index]
        car.order_vc, car.order_alpha, car.order_fuel = orders[index]
        race.control(world, track[0], index)


@njit
def _advance(worlds: Any, track: Any) -> None:
    race.advance(worlds[0], track[0])
