"""`Simulation`: all seats give orders at once, many times."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from engines.competition import Competition, Outcome

State = TypeVar("State")
Order = TypeVar("Order")

STARTER = '''\
"""A first bot for {title}: it looks on."""


def agent(observation, configuration):
    """Return an order; None does nothing. The rules of the game say which orders there are.

    observation["seat"]      your seat
    observation["turn"]      how many turns have been played
    observation["clock_ms"]  CPU time that each seat has left
    """
    return None
'''


class Simulation(Competition, Generic[State, Order]):
    """A game of steps. States are immutable."""

    @abstractmethod
    def start(self, seed: int, seats: int, options: Mapping[str, Any]) -> State:
        """The first state; raises `ValueError` for options it does not know."""

    @property
    def short_options(self) -> Mapping[str, Any]:
        """Options of the shortest match that still means something: evolution plays many."""
        return {}

    @abstractmethod
    def observe(self, state: State, seat: int) -> dict[str, Any] | None:
        """The view of `seat` before it gives its order; None when it has nothing to order."""

    @abstractmethod
    def order(self, state: State, seat: int, reply: Any) -> Order:
        """A bot's reply (decoded JSON) as an order; raises `IllegalMove`.

        A null reply is always legal and means that the bot wants nothing new.
        """

    @abstractmethod
    def step(self, state: State, orders: Sequence[Order | None]) -> State:
        """The next state in which a seat has something to order, or in which all is over.

        None instead of an order means that a seat is dead, late or faulty, and does nothing. The
        order of a house bot may stand for all that follow, so that a step may be many turns.
        """

    @abstractmethod
    def turns(self, state: State) -> int:
        """How many turns have been played."""

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None:
        """None while the simulation goes on."""

    @abstractmethod
    def replay(self, state: State) -> bytes:
        """The whole course of the simulation so far, for `frames` and the viewer."""

    @abstractmethod
    def frame_count(self, replay: bytes) -> int:
        """How many pictures show the course; at least one."""

    @abstractmethod
    def frame(self, replay: bytes, number: int) -> str:
        """Picture `number`, from 0, as an SVG element like that of `Game.svg`."""

    @property
    def viewer(self) -> str | None:
        """Name of a JavaScript viewer that plays `replay`; None: pages show the frames."""
        return None

    @property
    def turn_ms(self) -> int | None:
        """CPU time for one order, after which a bot misses a turn; None waits for slow bots."""
        return None

    def columns(self, state: State) -> Sequence[Mapping[str, float]]:
        """The parts of the scores by name, per seat; all seats have the same. Empty: none."""
        return ()

    @property
    def starter(self) -> str:
        return STARTER.format(title=self.title)
