"""The contracts every game keeps: `Game` for games of moves, `Simulation` for games of steps.

A game is one object without state of its own; states are values. It owns its rules, its notation,
its pictures and its house bots, and knows nothing of matches, clocks, processes or databases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

from engines.programs.trees import Architecture

CHANCE = -1
"""The seat that `Game.to_move` names when dice (or cards) move next."""


class IllegalMove(ValueError):
    """A move or order that the rules do not allow now. The message says what is wrong with it."""


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
        """Return a legal move of `seat` (a `Simulation`: its order) in `state`."""
        ...


HouseBots: TypeAlias = Mapping[str, Callable[[int], Player]]
"""Reference players by name; each is made for one match from a seed."""


class Competition(Protocol):
    """What all games have in common; the ladder needs no more to list, rate and pair bots."""

    @property
    def name(self) -> str:
        """Stable identifier in tables and URLs, such as `connect-four`."""
        ...

    @property
    def title(self) -> str:
        """The name people read, such as `Connect Four`."""
        ...

    @property
    def seats(self) -> range:
        """How many bots a match may have."""
        ...

    @property
    def draw_probability(self) -> float:
        """Share of draws among equal bots: it sets the draw margin of the ratings."""
        ...

    @property
    def house_bots(self) -> HouseBots:
        """Weakest first. A change of how one plays must raise `house_revision`."""
        ...

    @property
    def house_revision(self) -> int:
        """Number of the behaviour of the house bots; a new one makes new versions of them."""
        ...


class Programs(Protocol):
    """How programs play a game: what a game's attribute `programs` is, where it has one."""

    @property
    def architecture(self) -> Architecture:
        """What such programs look like."""
        ...

    def player(self, text: str, seed: int) -> Player:
        """A player for one match; raises `BadProgram` if the text is no program of the game."""
        ...


def programs_of(game: Competition) -> Programs | None:
    """None for a game that programs cannot play."""
    return getattr(game, "programs", None)


@runtime_checkable
class Game(Competition, Protocol):
    """A game in which one seat (or chance) moves at a time. States and moves are immutable."""

    def start(self, seed: int, seats: int) -> Any:
        """The first position. Only games that deal or lay out at random look at the seed."""
        ...

    def opening(self, seed: int, seats: int) -> Sequence[Any]:
        """Moves made for the bots before they take over, so that matches differ by their seed.

        They are few, legal one after the other from `start(seed, seats)`, fixed by the seed, and
        never end the game.
        """
        ...

    def to_move(self, state: Any) -> int:
        """The seat to move, or `CHANCE`."""
        ...

    def legal(self, state: Any) -> Sequence[Any]:
        """All legal moves, in a fixed order; never empty while `outcome` is None."""
        ...

    def chances(self, state: Any) -> Sequence[float]:
        """Probability of each move of `legal`, in its order, when `CHANCE` is to move."""
        ...

    def play(self, state: Any, move: Any) -> Any:
        """The state after a legal move."""
        ...

    def drop(self, state: Any, seat: int) -> Any:
        """The state in which `seat` has left and the others play on (more than two seats)."""
        ...

    def outcome(self, state: Any) -> Outcome | None:
        """None while the game goes on."""
        ...

    def format(self, state: Any, move: Any) -> str:
        """The move in the notation that people of this game know."""
        ...

    def parse(self, state: Any, text: str) -> Any:
        """The inverse of `format` for legal moves; raises `IllegalMove` for anything else."""
        ...

    def position(self, state: Any) -> str:
        """The state as one line of text."""
        ...

    def from_position(self, text: str) -> Any:
        """The inverse of `position`; raises `BadPosition`."""
        ...

    def observation(self, state: Any, seat: int) -> dict[str, Any]:
        """What `seat` may know beyond position, legal moves and history, which all bots get."""
        ...

    def svg(self, state: Any, last: Any | None = None) -> str:
        """The position drawn, the last move marked, as one self-contained `<svg>` element.

        It uses presentation attributes only (no style, script or links), a `viewBox`, and a
        `<title>` for readers who cannot see it.
        """
        ...


@runtime_checkable
class Simulation(Competition, Protocol):
    """A game in which all seats give orders at once, many times."""

    @property
    def viewer(self) -> str:
        """Name of the replay viewer that understands the bytes of `replay`."""
        ...

    def start(self, seed: int, seats: int, options: Mapping[str, Any]) -> Any:
        """The first state; raises `ValueError` for options it does not know."""
        ...

    def observe(self, state: Any, seat: int) -> dict[str, Any] | None:
        """What `seat` sees before it gives its order; None when it has nothing to order."""
        ...

    def order(self, state: Any, seat: int, reply: Any) -> Any:
        """A bot's reply (decoded JSON) as an order; raises `IllegalMove`."""
        ...

    def step(self, state: Any, orders: Sequence[Any | None]) -> Any:
        """The next state in which a seat has something to order, or in which all is over.

        An order of None (a dead, late or faulty seat) means doing nothing. The order of a house
        bot may stand for all that follow, so that a step may be many turns.
        """
        ...

    def turns(self, state: Any) -> int:
        """How many turns have been played."""
        ...

    def outcome(self, state: Any) -> Outcome | None:
        """None while the simulation goes on."""
        ...

    def replay(self, state: Any) -> bytes:
        """The whole course of the simulation so far, for the viewer."""
        ...


AnyGame: TypeAlias = Game | Simulation


def divisions_of(game: Competition) -> tuple[Division, ...]:
    """The code-size divisions of a game, largest limit first; `open` is not among them.

    A game has some if it has an attribute `divisions`. It is no part of the contracts, since most
    games have none.
    """
    return tuple(getattr(game, "divisions", ()))


def bot_modules_of(game: Competition) -> tuple[str, ...]:
    """Modules that bots of this game find beside them (`bot_modules`), which cost them nothing."""
    return tuple(getattr(game, "bot_modules", ()))


def sides_of(game: Competition) -> tuple[str, ...]:
    """What people call the seats, such as Black and White (`sides`); empty where they do not."""
    return tuple(getattr(game, "sides", ()))


# What a game may offer besides.


@runtime_checkable
class OffersModules(Protocol):
    """A game with modules that its bots may import."""

    @property
    def bot_modules(self) -> Mapping[str, Path]:
        """Python files by the name under which bots import them; standard library only."""
        ...


@runtime_checkable
class KeepsPace(Protocol):
    """A `Simulation` that does not wait for slow bots."""

    @property
    def turn_ms(self) -> int:
        """CPU time for one order. Each time more that a bot takes costs it one turn."""
        ...


@runtime_checkable
class ScoresInColumns(Protocol):
    """A `Simulation` whose scores have parts that people want to see."""

    def columns(self, state: Any) -> Sequence[Mapping[str, float]]:
        """The parts by name, per seat; all seats have the same."""
        ...
