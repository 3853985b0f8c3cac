"""Tanks for the ladder: the contract of `Simulation`.

House bots and programs run inside `step`, in compiled code; all other seats get observations and
send orders. A state is a value: `step` copies the battle, which takes less time than one message to
a bot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engines.competition import Division, HouseBots, IllegalMove, Outcome
from engines.games.tanks import entry, frames, java, layout, recording
from engines.games.tanks.battle import COLUMN_TITLES, columns, seat_bot, seat_program, total
from engines.games.tanks.commands import BadCommand, encode
from engines.games.tanks.divisions import DIVISIONS
from engines.games.tanks.program import ProgramPlayer, TankPrograms, new_seat_programs
from engines.games.tanks.roster import BOTS
from engines.games.tanks.sight import look
from engines.programs.code import Code
from engines.programs.trees import Program
from engines.simulation import Simulation

MOST_COMMANDS = 10_000
"""Robocode disables a robot that calls more setters in one turn."""

_SIDES = range(400, 5001)

_FILM = 16_384
"""Numbers per reel of film: a few hundred turns."""


@dataclass(frozen=True, slots=True)
class HousePlayer:
    """The order of a house bot: it lets the kernel run it."""

    name: str

    def choose(self, state: Any, seat: int) -> HousePlayer:
        """Always the same order."""
        return self


@dataclass(frozen=True, slots=True)
class Battle:
    """The state of a battle."""

    worlds: Any
    """An array of one world."""
    names: tuple[str, ...]
    reels: list[bytes]
    """The film so far; it may also contain that of a later state of the same battle."""
    count: int
    """The number of reels of this state."""
    players: tuple[ProgramPlayer | None, ...]
    """The players of seats with programs."""
    seat_programs: Any
    """The programs of the players: an array of one record."""
    over: bool = False


@dataclass(frozen=True)
class Tanks(Simulation[Battle, Any]):
    """One of the two games; they differ in size only."""

    name: str
    title: str
    seats: frozenset[int]
    width: int
    height: int
    draw_probability: float = 0.01
    house_revision: int = 1
    viewer: str = "tanks"
    turn_ms: int = 20
    """Robocode allows a few milliseconds; Python is slower than Java, and machines are busy."""
    divisions: tuple[Division, ...] = DIVISIONS
    shares_points: bool = True

    @property
    def programs(self) -> TankPrograms:
        return TankPrograms(self.name)

    @property
    def program_exports(self) -> Mapping[str, Callable[[Program, str], str]]:
        return {"java": java.export}

    @property
    def house_bots(self) -> HouseBots:
        return {name: _maker(name) for name in BOTS}

    @property
    def bot_modules(self) -> Mapping[str, Path]:
        return {"tanks": Path(__file__).with_name("kit.py")}

    @property
    def starter(self) -> str:
        return Path(__file__).with_name("starter.txt").read_text().format(title=self.title)

    @property
    def short_options(self) -> Mapping[str, Any]:
        return {"rounds": 1}

    def start(self, seed: int, seats: int, options: Mapping[str, Any]) -> Battle:
        settings = self._settings(options)
        if seats not in self.seats:
            raise ValueError(
                f"{self.title} needs {min(self.seats)} to {max(self.seats)} seats, not {seats}"
            )
        worlds = layout.new_worlds(seats, **settings)
        worlds["tanks"]["advanced"] = True
        entry.begin(worlds, seed)
        names = tuple(f"seat {index}" for index in range(seats))
        return Battle(worlds, names, [], 0, (None,) * seats, new_seat_programs([]))

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
        return None if state.over else look(state.worlds, seat)

    def order(self, state: Battle, seat: int, reply: Any) -> list[tuple[int, float]]:
        """A list of commands such as `["set_ahead", 100]`; null orders nothing new."""
        if reply is None:
            return []
        if not isinstance(reply, list) or len(reply) > MOST_COMMANDS:
            raise IllegalMove(f"an order must be a list of at most {MOST_COMMANDS} commands")
        try:
            return [encode(command) for command in reply]
        except BadCommand as error:
            raise IllegalMove(str(error)) from error

    def step(self, state: Battle, orders: Sequence[Any | None]) -> Battle:
        """Play a turn, and further turns until an uploaded bot must give orders."""
        if state.over:
            raise ValueError("the battle is over")
        worlds = layout.copy_worlds(state.worlds)
        names, players = list(state.names), list(state.players)
        doings = np.zeros(len(names), np.int64)
        spans = np.zeros(len(names) + 1, np.int64)
        given: list[tuple[int, float]] = []
        for seat, order in enumerate(orders):
            if isinstance(order, HousePlayer):
                if names[seat] != order.name:
                    names[seat] = order.name
                    seat_bot(worlds, seat, BOTS[order.name])
            elif isinstance(order, ProgramPlayer):
                if players[seat] is not order:
                    players[seat] = order
                    seat_program(worlds, seat, order.seed)
            elif order is not None:
                doings[seat] = entry.ORDERS
                given += order
            spans[seat + 1] = len(given)
        commands = np.array([code for code, _ in given], np.int64)
        values = np.array([value for _, value in given], np.float64)
        film = np.empty(_FILM, np.int32)
        reels = state.reels if len(state.reels) == state.count else state.reels[: state.count]
        seated = tuple(players)
        seat_programs = (
            state.seat_programs if seated == state.players else new_seat_programs(_codes(seated))
        )
        why, used = entry.step(worlds, doings, spans, commands, values, film, seat_programs)
        reels.append(film[:used].tobytes())
        while why == entry.FULL:
            why, used = entry.play_on(worlds, film, seat_programs)
            reels.append(film[:used].tobytes())
        over = why == entry.OVER
        return Battle(worlds, tuple(names), reels, len(reels), seated, seat_programs, over)

    def turns(self, state: Battle) -> int:
        return int(state.worlds["played"][0])

    def outcome(self, state: Battle) -> Outcome | None:
        if not state.over:
            return None
        scores = [float(total(tank)) for tank in self._tanks(state)]
        whole = sum(scores)
        shares = tuple(score / whole if whole else 1 / len(scores) for score in scores)
        points = " to ".join(f"{score:.0f}" for score in scores)
        return Outcome(shares, f"{points} points after {state.worlds['rounds'][0]} rounds")

    def columns(self, state: Battle) -> list[dict[str, int]]:
        """The score columns of Robocode's league, by seat."""
        return [columns(tank) for tank in self._tanks(state)]

    @property
    def column_titles(self) -> Mapping[str, str]:
        return COLUMN_TITLES

    def replay(self, state: Battle) -> bytes:
        width, height = float(state.worlds["width"][0]), float(state.worlds["height"][0])
        return recording.pack(state.names, width, height, b"".join(state.reels[: state.count]))

    def frame_count(self, replay: bytes) -> int:
        return frames.count(replay)

    def frame(self, replay: bytes, number: int) -> str:
        return frames.draw(replay, number, self.title)

    def _tanks(self, state: Battle) -> Any:
        return state.worlds["tanks"][0, : len(state.names)]


def _codes(players: Sequence[ProgramPlayer | None]) -> list[Code | None]:
    return [player.code if player is not None else None for player in players]


def _maker(name: str) -> Any:
    def make(seed: int) -> HousePlayer:
        return HousePlayer(name)

    return make


TANKS = Tanks("tanks", "Tanks", frozenset({2}), 800, 600)
TANKS_MELEE = Tanks("tanks-melee", "Tanks melee", frozenset(range(2, 11)), 1000, 1000)
