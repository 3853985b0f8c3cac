"""`Competition`: the common base of `Game`, `Simulation` and `Puzzle`.

A game is one object without its own state; states are values. It owns its rules, its notation, its
pictures and its house bots, and knows nothing about matches, clocks, processes or databases.
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
    """A move, order or solution that violates the rules. The message says what is wrong."""


class BadPosition(ValueError):
    """A text that is not a position of this game. The message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game by its rules: a score per seat (higher is better) and a short reason."""

    scores: tuple[float, ...]
    reason: str


STATEMENTS, BYTECODE_BYTES = "statements", "bytecode_bytes"
"""The unit of the size of a bot's code."""


@dataclass(frozen=True, slots=True)
class Division:
    """A class of small bots, by a limit on the size of their code."""

    name: str
    measure: str
    """`STATEMENTS` or `BYTECODE_BYTES`."""
    limit: int


class Player(Protocol):
    """An in-process player. It may keep state, for one match only."""

    def choose(self, state: Any, seat: int) -> Any:
        """A legal move of `seat` in `state`; in simulations an order, in puzzles a solution."""
        ...


HouseBots: TypeAlias = Mapping[str, Callable[[int], Player]]
"""Reference players by name; a seed makes each of them for one match."""


class Programs(Protocol):
    """Programs that play a game."""

    @property
    def architecture(self) -> Architecture:
        """The structure of such programs."""
        ...

    def player(self, text: str, seed: int) -> Player:
        """A player for one match; raises `BadProgram` if the text is not a program of the game."""
        ...


class Competition(ABC):
    """The part of a game that the ladder needs to list, rate and pair bots."""

    name: str
    """Stable identifier in tables and URLs, such as `connect-four`."""
    title: str
    """The displayed name, such as `Connect Four`."""
    seats: frozenset[int]
    """The allowed numbers of bots in a match."""
    draw_probability: float
    """Share of draws between equal bots: it sets the draw margin of the ratings."""

    @property
    def ladder_seats(self) -> int:
        """The number of bots in a ladder match, one of `seats`; tournaments may use any."""
        return max(self.seats)

    @property
    def shares_points(self) -> bool:
        """Whether the scores of a match are shares of points, instead of won, drawn and lost."""
        return False

    @property
    @abstractmethod
    def house_bots(self) -> HouseBots:
        """The house bots, weakest first. A change of their play must raise `house_revision`."""

    @property
    def house_revision(self) -> int:
        """The revision of the house bots' behaviour; a new one makes new versions of them."""
        return 1

    @property
    def sides(self) -> tuple[str, ...]:
        """The names of the seats, such as Black and White; empty if they have none."""
        return ()

    @property
    def column_titles(self) -> Mapping[str, str]:
        """Headings of the columns of scores that it reports, by name."""
        return MappingProxyType({})

    @property
    def divisions(self) -> tuple[Division, ...]:
        """The code-size divisions, largest limit first, without `open`."""
        return ()

    @property
    def bot_modules(self) -> Mapping[str, Path]:
        """Python files by the name for imports by bots; they need only the standard library.

        They do not count towards the size of a bot's code.
        """
        return MappingProxyType({})

    @property
    def programs(self) -> Programs | None:
        """Programs that play the game; None if programs cannot play it."""
        return None

    @property
    def program_exports(self) -> Mapping[str, Callable[[Program, str], str]]:
        """Exports of programs of this game to other languages, by name.

        Each takes the program and a name for it, and raises `ValueError` for an invalid name.
        """
        return MappingProxyType({})

    @property
    @abstractmethod
    def starter(self) -> str:
        """The source of a first bot in Python, as a start for authors."""

    @property
    def record_format(self) -> RecordFormat | None:
        """The file format that other programs of this game read; None if there is none."""
        return None

    def write_record(self, record: GameRecord) -> str:
        """A match in the record format."""
        raise NotImplementedError(f"{self.name} has no record format")


def listed(seats: frozenset[int]) -> str:
    """The allowed numbers as text: `2`, or `2, 3, 4 or 6`."""
    *others, last = map(str, sorted(seats))
    return f"{', '.join(others)} or {last}" if others else last


def fitting(seats: frozenset[int], present: int) -> int | None:
    """The largest allowed number of seats that these bots can fill; None if they are too few."""
    return max((number for number in seats if number <= present), default=None)
