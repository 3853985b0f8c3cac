"""What all kinds of games share: `Competition`, the base of `Game`, `Simulation` and `Puzzle`.

A game is one object without state of its own; states are values. It owns its rules, its notation,
its pictures and its house bots, and knows nothing of matches, clocks, processes or databases.
Every optional feature has a working default here, so code asks a game for a feature by reading the
attribute.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from engines.display.records import GameRecord, RecordFormat
from engines.programs.trees import Architecture, Program


class IllegalMove(ValueError):
    """A move, order or solution that the rules do not allow. The message says what is wrong."""


class BadPosition(ValueError):
    """A text that is no position of this game. The message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the rules ended a game: a score per seat, more is better, and why in a few words."""

    scores: tuple[float, ...]
    reason: str


STATEMENTS, BYTECODE_BYTES = "statements", "bytecode_bytes"
"""What the size of a bot's code is measured in."""


@dataclass(frozen=True, slots=True)
class Division:
    """A class of small bots: those whose code is at most so large, by one measure."""

    name: str
    measure: str
    """`STATEMENTS` or `BYTECODE_BYTES`."""
    limit: int


class Player(Protocol):
    """Something in-process that chooses moves. It may keep state, for one match only."""

    def choose(self, state: Any, seat: int) -> Any:
        """A legal move of `seat` in `state`; of a simulation its order, of a puzzle a solution."""
        ...


HouseBots: TypeAlias = Mapping[str, Callable[[int], Player]]
"""Reference players by name; each is made for one match from a seed."""


class Programs(Protocol):
    """How programs play a game."""

    @property
    def architecture(self) -> Architecture:
        """What such programs look like."""
        ...

    def player(self, text: str, seed: int) -> Player:
        """A player for one match; raises `BadProgram` if the text is no program of the game."""
        ...


class Competition(ABC):
    """What the ladder needs to list, rate and pair the bots of a game."""

    name: str
    """Stable identifier in tables and URLs, such as `connect-four`."""
    title: str
    """The name people read, such as `Connect Four`."""
    seats: frozenset[int]
    """The allowed numbers of bots in a match."""
    draw_probability: float
    """Share of draws among equal bots: it sets the draw margin of the ratings."""

    @property
    def ladder_seats(self) -> int:
        """How many bots the ladder seats in a match, one of `seats`; tournaments may use any."""
        return max(self.seats)

    @property
    @abstractmethod
    def house_bots(self) -> HouseBots:
        """Weakest first. A change of how one plays must raise `house_revision`."""

    @property
    def house_revision(self) -> int:
        """Number of the behaviour of the house bots; a new one makes new versions of them."""
        return 1

    @property
    def sides(self) -> tuple[str, ...]:
        """What people call the seats, such as Black and White; empty if they have no names."""
        return ()

    @property
    def divisions(self) -> tuple[Division, ...]:
        """The code-size divisions, largest limit first; `open` is not among them."""
        return ()

    @property
    def bot_modules(self) -> Mapping[str, Path]:
        """Python files by the name under which bots import them; standard library only.

        They do not count towards the size of a bot's code.
        """
        return MappingProxyType({})

    @property
    def programs(self) -> Programs | None:
        """How programs play the game; None if programs cannot play it."""
        return None

    @property
    def program_exports(self) -> Mapping[str, Callable[[Program, str], str]]:
        """Other languages in which a program of this game can be written, by name.

        Each takes the program and a name for it, and raises `ValueError` if the name will not do.
        """
        return MappingProxyType({})

    @property
    @abstractmethod
    def starter(self) -> str:
        """The source of a first bot in Python, which authors change into their own."""

    @property
    def record_format(self) -> RecordFormat | None:
        """The kind of file that other programs of this game read; None if there is none."""
        return None

    def write_record(self, record: GameRecord) -> str:
        """A match as such a file."""
        raise NotImplementedError(f"{self.name} has no record format")


def listed(seats: frozenset[int]) -> str:
    """The allowed numbers for people to read: `2`, or `2, 3, 4 or 6`."""
    *others, last = map(str, sorted(seats))
    return f"{', '.join(others)} or {last}" if others else last


def fitting(seats: frozenset[int], present: int) -> int | None:
    """The largest allowed number of seats that so many bots can fill; None if they are too few."""
    return max((number for number in seats if number <= present), default=None)
