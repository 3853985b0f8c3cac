"""Tanks as the ladder plays it: the contract of `Simulation`, a turn per step.

House bots and programs think inside `step`, in compiled code; all other seats get observations and
send orders.
A state is a value: `step` copies the battle, which takes less time than one message to a bot.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.game import HouseBots, IllegalMove, Outcome
from engines.games.tanks import entry, layout, recording
from engines.games.tanks.battle import columns, seat_bot, seat_program, total
from engines.games.tanks.commands import BadCommand, encode
from engines.games.tanks.program import Codes, Pilot, TankPrograms, seat_codes
from engines.games.tanks.roster import BOTS
from engines.games.tanks.turn import TURNS_AFTER_END
from engines.programs.code import Code

MOST_COMMANDS = 10_000
"""Robocode disables a robot that calls more setters in one turn."""

_SIDES = range(400, 5001)

EVENTS: dict[int, tuple[str, dict[str, str]]] = {
    layout.WIN: ("win", {}),
    layout.DEATH: ("death", {}),
    layout.ROBOT_DEATH: ("robot_death", {"name": "other"}),
    layout.BULLET_MISSED: ("bullet_missed", {"power": "power", "bullet": "number"}),
    layout.BULLET_HIT_BULLET: (
        "bullet_hit_bullet",
        {"power": "power", "bullet": "number", "name": "other", "other_power": "energy"},
    ),
    layout.BULLET_HIT: (
        "bullet_hit",
        {"name": "other", "energy": "energy", "power": "power", "bullet": "number"},
    ),
    layout.HIT_BY_ROBOT: (
        "hit_robot",
        {"name": "other", "bearing_radians": "bearing", "energy": "energy", "my_fault": "fault"},
    ),
    layout.HIT_BY_WALL: ("hit_wall", {"bearing_radians": "bearing"}),
    layout.HIT_BY_BULLET: (
        "hit_by_bullet",
        {
            "name": "other",
            "bearing_radians": "bearing",
            "heading_radians": "heading",
            "power": "power",
        },
    ),
    layout.SCANNED: (
        "scanned_robot",
        {
            "name": "other",
            "bearing_radians": "bearing",
            "distance": "distance",
            "heading_radians": "heading",
            "velocity": "velocity",
            "energy": "energy",
        },
    ),
}
"""Names and fields of events as bots see them; the name of a robot is its seat."""

_STATUS = {
    "x": "x",
    "y": "y",
    "heading_radians": "body",
    "gun_heading_radians": "gun",
    "radar_heading_radians": "radar",
    "velocity": "velocity",
    "energy": "energy",
    "gun_heat": "heat",
    "distance_remaining": "distance",
    "turn_remaining_radians": "turn",
    "gun_turn_remaining_radians": "gun_turn",
    "radar_turn_remaining_radians": "radar_turn",
}


@dataclass(frozen=True, slots=True)
class House:
    """The order of a house bot: to let the kernel think for it."""

    name: str

    def choose(self, state: Any, seat: int) -> House:
        """It has no other order."""
        return self


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle at one moment."""

    worlds: Any
    """An array of one world."""
    names: tuple[str, ...]
    frames: list[bytes]
    """The turns so far, and perhaps those of a later state of the same battle."""
    turns: int
    pilots: tuple[Pilot | None, ...]
    """Who plays the seats that have programs."""
    codes: Codes
    """The programs of the pilots."""
    over: bool = False


def _number(value: Any) -> Any:
    """JSON has no infinities: they go as strings."""
    value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


@dataclass(frozen=True)
class Tanks:
    """One of the two games; they differ in size only."""

    name: str
    title: str
    seats: range
    width: int
    height: int
    draw_probability: float = 0.01
    house_revision: int = 1
    viewer: str = "tanks"

    @property
    def programs(self) -> TankPrograms:
        return TankPrograms(self.name)

    @property
    def house_bots(self) -> HouseBots:
        return {name: _maker(name) for name in BOTS}

    def start(self, seed: int, seats: int, options: Mapping[str, Any]) -> Battle:
        settings = self._settings(options)
        if seats not in self.seats:
            raise ValueError(f"{self.title} has {self.seats[0]} to {self.seats[-1]} seats")
        worlds = layout.new_worlds(seats, **settings)
        worlds["tanks"]["advanced"] = True
        entry.begin(worlds, seed)
        names = tuple(f"seat {index}" for index in range(seats))
        return Battle(worlds, names, [], 0, (None,) * seats, seat_codes([None] * seats))

    def _settings(self, options: Mapping[str, Any]) -> dict[str, Any]:
        settings: dict[str, Any] = {
            "width": self.width,
            "height": self.height,
            "rounds": 10,
            "cooling": 0.1,
            "inactivity": 450,
        }
        for name, value in options.items():
            if name not in settings:
                raise ValueError(f"there is no option {name!r}; there are: {', '.join(settings)}")
            whole = isinstance(value, int) and not isinstance(value, bool)
            if name == "cooling":
                good = (whole or isinstance(value, float)) and 0.1 <= value <= 100
            elif name in ("width", "height"):
                good = whole and value in _SIDES
            else:
                good = whole and (1 if name == "rounds" else 0) <= value <= 1_000_000
            if not good:
                raise ValueError(f"the option {name} cannot be {value!r}")
            settings[name] = value
        return settings

    def observe(self, state: Battle, seat: int) -> dict[str, Any] | None:
        if state.over or not entry.asked(state.worlds, seat):
            return None
        world = state.worlds[0]
        tank = world["tanks"][seat]
        observation: dict[str, Any] = {
            "round": int(world["round"]),
            "rounds": int(world["rounds"]),
            "time": int(world["time"]),
            "others": int(world["alive"]) - 1,
        }
        for name, field in _STATUS.items():
            observation[name] = _number(tank[field])
        observation["events"] = [
            _event(event)
            for event in world["queues"][seat, : tank["queued"]]
            if int(event["kind"]) in EVENTS
        ]
        return observation

    def order(self, state: Battle, seat: int, reply: Any) -> list[tuple[int, float]]:
        """A list of commands such as `["set_ahead", 100]`; null orders nothing new."""
        if reply is None:
            return []
        if not isinstance(reply, list) or len(reply) > MOST_COMMANDS:
            raise IllegalMove(f"an order is a list of at most {MOST_COMMANDS} commands")
        try:
            return [encode(command) for command in reply]
        except BadCommand as error:
            raise IllegalMove(str(error)) from error

    def step(self, state: Battle, orders: Sequence[Any | None]) -> Battle:
        if state.over:
            raise ValueError("the battle is over")
        worlds = _copy(state.worlds)
        names, pilots = list(state.names), list(state.pilots)
        doings = np.zeros(len(names), np.int64)
        spans = np.zeros(len(names) + 1, np.int64)
        given: list[tuple[int, float]] = []
        for seat, order in enumerate(orders):
            if isinstance(order, House):
                doings[seat] = entry.THINKS
                if names[seat] != order.name:
                    names[seat] = order.name
                    seat_bot(worlds, seat, BOTS[order.name])
            elif isinstance(order, Pilot):
                doings[seat] = entry.THINKS
                if pilots[seat] is not order:
                    pilots[seat] = order
                    seat_program(worlds, seat, order.seed)
            elif order is not None:
                doings[seat] = entry.ORDERS
                given += order
            spans[seat + 1] = len(given)
        commands = np.array([code for code, _ in given], np.int64)
        values = np.array([value for _, value in given], np.float64)
        frames = state.frames if len(state.frames) == state.turns else state.frames[: state.turns]
        seated = tuple(pilots)
        codes = state.codes if seated == state.pilots else seat_codes(_codes(seated))
        entry.step(worlds, doings, spans, commands, values, codes)
        over = self._play_on(worlds, doings, codes, frames)
        return Battle(worlds, tuple(names), frames, len(frames), seated, codes, over)

    def _play_on(self, worlds: Any, doings: Any, codes: Codes, frames: list[bytes]) -> bool:
        """Film the turn, and play further ones as long as nobody is asked anything."""
        frame = np.zeros(1, recording.FRAME)
        seats = range(len(doings))
        while True:
            entry.film(worlds, frame)
            frames.append(recording.trim(frame[0], len(seats)))
            if any(entry.asked(worlds, seat) for seat in seats):
                return False
            for seat in seats:
                if doings[seat] == entry.THINKS:
                    entry.think(worlds, seat, codes)
            if worlds["ending"][0] >= TURNS_AFTER_END:
                if worlds["round"][0] + 1 == worlds["rounds"][0]:
                    return True
                entry.begin_round(worlds)
                return False
            entry.play(worlds)

    def outcome(self, state: Battle) -> Outcome | None:
        if not state.over:
            return None
        scores = [float(total(tank)) for tank in self._tanks(state)]
        whole = sum(scores)
        shares = tuple(score / whole if whole else 1 / len(scores) for score in scores)
        return Outcome(shares, f"score share after {state.worlds['rounds'][0]} rounds")

    def columns(self, state: Battle) -> list[dict[str, int]]:
        """The score columns of Robocode's league, by seat."""
        return [columns(tank) for tank in self._tanks(state)]

    def replay(self, state: Battle) -> bytes:
        width, height = float(state.worlds["width"][0]), float(state.worlds["height"][0])
        return recording.pack(state.names, width, height, state.frames[: state.turns])

    def _tanks(self, state: Battle) -> Any:
        return state.worlds["tanks"][0, : len(state.names)]


def _copy(worlds: Any) -> Any:
    """Of plain bytes: numpy copies records field by field, at thirty times the cost."""
    return worlds.view(np.uint8).copy().view(layout.WORLD)


def _codes(pilots: Sequence[Pilot | None]) -> list[Code | None]:
    return [pilot.code if pilot is not None else None for pilot in pilots]


def _maker(name: str) -> Any:
    def make(seed: int) -> House:
        return House(name)

    return make


def _event(event: Any) -> dict[str, Any]:
    name, fields = EVENTS[int(event["kind"])]
    seen: dict[str, Any] = {"event": name, "time": int(event["time"])}
    for shown, field in fields.items():
        seen[shown] = _number(event[field])
    return seen


TANKS = Tanks("tanks", "Tanks", range(2, 3), 800, 600)
TANKS_MELEE = Tanks("tanks-melee", "Tanks melee", range(2, 11), 1000, 1000)
