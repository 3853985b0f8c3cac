"""Car races for the ladder: the contract of `Simulation`.

House drivers and programs run inside `step`, in compiled code; all other seats get observations and
send orders. A state is a value: `step` copies the race, which takes less time than one message to a
bot.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from engines.competition import HouseBots, IllegalMove, Outcome
from engines.games.racing import drivers, entry, frames, layout, rars, recording, tracks
from engines.games.racing.line import ideal_line
from engines.games.racing.program import ProgramDriver, RacingPrograms, new_seat_programs
from engines.games.racing.scoring import columns, outcome
from engines.games.racing.situation import described, situation
from engines.games.racing.trial import new_worlds
from engines.programs.trees import Program
from engines.simulation import Simulation

LONGEST_DRAWN = 18_000.0
"""Feet: the seed draws among the tracks up to this length; the option `track` names any."""
_RACE = 24_000.0
"""Feet: the default length of a race."""
_FILM = 65_536
"""Numbers per reel of film."""
ORDER = ("alpha", "vc", "request_pit", "repair_amount", "fuel_amount")


@dataclass(frozen=True, slots=True)
class HouseDriver:
    """The order of a house driver: it lets the kernel run it."""

    name: str

    def choose(self, state: Any, seat: int) -> HouseDriver:
        """Always the same order."""
        return self


@dataclass(frozen=True, slots=True)
class Race:
    """The state of a race."""

    worlds: Any
    """An array of one world."""
    track: str
    names: tuple[str, ...]
    reels: list[bytes]
    """The film so far; it may also contain that of a later state of the same race."""
    count: int
    """The number of reels of this state."""
    players: tuple[ProgramDriver | None, ...]
    """The players of seats with programs."""
    seat_programs: Any
    """The programs of the players: an array of one record."""


@dataclass(frozen=True)
class Racing(Simulation[Race, Any]):
    """One of the two games: all cars on the road together, or each alone."""

    name: str
    title: str
    alone: bool
    ladder_seats: int = 6
    seats: frozenset[int] = frozenset(range(2, layout.MAX_CARS + 1))
    draw_probability: float = 0.01
    house_revision: int = 1
    viewer: str = "racing"
    turn_ms: int = 20
    """RARS has no limit; a tick is 55 ms of the race."""

    @property
    def programs(self) -> RacingPrograms:
        return RacingPrograms(self.name)

    @property
    def program_exports(self) -> Mapping[str, Callable[[Program, str], str]]:
        return {"rars": rars.export}

    @property
    def house_bots(self) -> HouseBots:
        return {name: _maker(name) for name in drivers.DRIVERS}

    @property
    def bot_modules(self) -> Mapping[str, Path]:
        return MappingProxyType({"racing": Path(__file__).with_name("kit.py")})

    @property
    def starter(self) -> str:
        return Path(__file__).with_name("starter.txt").read_text().format(title=self.title)

    @property
    def short_options(self) -> Mapping[str, Any]:
        return {"laps": 1}

    def start(self, seed: int, seats: int, options: Mapping[str, Any]) -> Race:
        if seats not in self.seats:
            raise ValueError(
                f"{self.title} needs {min(self.seats)} to {max(self.seats)} seats, not {seats}"
            )
        chosen = _settings(options)
        track = chosen["track"] or drawn_track(seed)
        laps = chosen["laps"] or self._laps(track)
        worlds = new_worlds(seats, laps=laps, alone=self.alone)
        worlds["surface"], worlds["random_motion"] = chosen["surface"], chosen["random_motion"]
        # RARS seeds its generator with a small number.
        entry.begin(worlds, tracks.load(track), seed & 0xFFFFFFF)
        names = tuple(f"seat {index}" for index in range(seats))
        return Race(worlds, track, names, [], 0, (None,) * seats, new_seat_programs([]))

    def _laps(self, track: str) -> int:
        return 2 if self.alone else max(2, round(_RACE / track_length(track)))

    def observe(self, state: Race, seat: int) -> dict[str, Any] | None:
        car = state.worlds["cars"][0, seat]
        if state.worlds["over"][0] or car["out"]:
            return None
        seen = situation(state.worlds, seat)
        if state.worlds["tick"][0] == 0:
            seen["track"] = described(tracks.plans()[state.track], track_length(state.track))
        return seen

    def order(self, state: Race, seat: int, reply: Any) -> Any:
        """An object such as `{"alpha": 0.02, "vc": 120}`; null keeps the last order."""
        if reply is None:
            return None
        if not isinstance(reply, dict):
            raise IllegalMove('an order is an object such as {"alpha": 0.02, "vc": 120}, or null')
        for name in reply:
            if name not in ORDER:
                raise IllegalMove(f"an order has no {str(name)[:40]!r}; it has {', '.join(ORDER)}")
        return np.array([_number(name, reply.get(name, 0)) for name in ORDER])

    def step(self, state: Race, orders: Sequence[Any | None]) -> Race:
        """Play a tick, and further ticks until an uploaded bot must give orders."""
        worlds = state.worlds.copy()
        if worlds["over"][0]:
            raise ValueError("the race is over")
        names, players = list(state.names), list(state.players)
        for seat, order in enumerate(orders):
            if isinstance(order, HouseDriver):
                if names[seat] != order.name:
                    names[seat] = order.name
                    worlds["cars"]["driver"][0, seat] = drivers.DRIVERS[order.name]
            elif isinstance(order, ProgramDriver):
                players[seat] = order
                worlds["cars"]["driver"][0, seat] = drivers.PROGRAM
            elif order is not None:
                entry.order(worlds, seat, order)
        seated = tuple(players)
        seat_programs = state.seat_programs
        if seated != state.players:
            seat_programs = new_seat_programs([one.code if one else None for one in seated])
        reels = state.reels if len(state.reels) == state.count else state.reels[: state.count]
        track, line = tracks.load(state.track), ideal_line(state.track)
        while True:
            film = np.empty(_FILM, np.int32)
            why, used = entry.play_on(worlds, track, line, film, seat_programs)
            if used:
                reels.append(film[:used].tobytes())
            if why != entry.FULL:
                break
        return Race(worlds, state.track, tuple(names), reels, len(reels), seated, seat_programs)

    def turns(self, state: Race) -> int:
        return int(state.worlds["tick"][0])

    def outcome(self, state: Race) -> Outcome | None:
        if not state.worlds["over"][0]:
            return None
        return outcome(state.worlds, state.track, self.alone)

    def columns(self, state: Race) -> list[dict[str, float]]:
        return columns(state.worlds[0], self.alone)

    def replay(self, state: Race) -> bytes:
        world = state.worlds[0]
        cars = world["cars"][: world["count"]]
        laps = [
            car["lap_times"][: max(0, min(int(car["laps"]), layout.MOST_LAPS))].tolist()
            for car in cars
        ]
        about = {
            "track": state.track,
            "width": tracks.plans()[state.track].width,
            "length": track_length(state.track),
            "path": tracks.path(state.track),
            "laps": int(world["laps"]),
            "alone": self.alone,
        }
        film = b"".join(state.reels[: state.count])
        return recording.pack(state.names, about, laps, film)

    def frame_count(self, replay: bytes) -> int:
        return frames.count(replay)

    def frame(self, replay: bytes, number: int) -> str:
        return frames.draw(replay, number, self.title)


def _settings(options: Mapping[str, Any]) -> dict[str, Any]:
    settings: dict[str, Any] = {"track": None, "laps": None, "surface": 1, "random_motion": True}
    for name, value in options.items():
        whole = isinstance(value, int) and not isinstance(value, bool)
        if name == "track":
            good, allowed = value in tracks.plans(), "the name of a track, such as sepang"
        elif name == "laps":
            good, allowed = whole and 1 <= value <= layout.MOST_LAPS, f"1 to {layout.MOST_LAPS}"
        elif name == "surface":
            good, allowed = whole and 0 <= value <= 2, "0 to 2"
        elif name == "random_motion":
            good, allowed = isinstance(value, bool), "true or false"
        else:
            raise ValueError(f"there is no option {name!r}; there are: {', '.join(settings)}")
        if not good:
            raise ValueError(f"the option {name} must be {allowed}, not {value!r}")
        settings[name] = value
    return settings


def _number(name: str, value: Any) -> float:
    whole = isinstance(value, int | float)
    if not whole or not math.isfinite(value) or abs(value) > 1e9:
        raise IllegalMove(f"{name} must be a number from -1e9 to 1e9, not {str(value)[:40]!r}")
    return float(value)


def track_length(track: str) -> float:
    return float(tracks.load(track)[0]["length"])


def drawn_track(seed: int) -> str:
    """The track of a ladder match."""
    pool = [name for name in tracks.plans() if track_length(name) <= LONGEST_DRAWN]
    return pool[np.random.default_rng(seed & 0xFFFFFFFFFFFFFFFF).integers(len(pool))]


def _maker(name: str) -> Any:
    def make(seed: int) -> HouseDriver:
        return HouseDriver(name)

    return make


RACING = Racing("racing", "Racing", alone=False)
TIME_TRIAL = Racing("time-trial", "Time trial", alone=True, ladder_seats=4)
