"""The contracts every game keeps: `Game` for games of moves, `Simulation` for games of steps.

A game is one object without state of its own; states are values. It owns its rules, its notation,
its pictures and its house bots, and knows nothing of matches, clocks, processes or databases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
        """The next state. An order of None (a dead or faulty seat) means doing nothing."""
        ...

    def outcome(self, state: Any) -> Outcome | None:
        """None while the simulation goes on."""
        ...

    def replay(self, state: Any) -> bytes:
        """The whole course of the simulation so far, for the viewer."""
        ...


AnyGame: TypeAlias = Game | Simulation
