"""`Simulation`: all seats give orders at once, many times."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from engines.competition import Competition, Outcome

State = TypeVar("State")
Order = TypeVar("Order")

STARTER = '''\
"""A first bot for {title}: it does nothing."""


def agent(observation, configuration):
    """Return an order; None does nothing. The rules of the game list the orders.

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
        """Options of the shortest meaningful match, for evolution, which plays many."""
        return {}

    @abstractmethod
    def observe(self, state: State, seat: int) -> dict[str, Any] | None:
        """The view of `seat` before it gives its order; None if it cannot order anything."""

    @abstractmethod
    def order(self, state: State, seat: int, reply: Any) -> Order:
        """A bot's reply (decoded JSON) as an order; raises `IllegalMove`.

        A null reply is always legal and means that the bot wants nothing new.
        """

    @abstractmethod
    def step(self, state: State, orders: Sequence[Order | None]) -> State:
        """The next state in which a seat gives orders, or in which the simulation is over.

        None instead of an order means that a seat is dead, late or faulty, and does nothing. One
        order of a house bot may stand for all later ones, so a step may be many turns.
        """

    @abstractmethod
    def turns(self, state: State) -> int:
        """The number of turns played."""

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None:
        """The result; None until the simulation is over."""

    @abstractmethod
    def replay(self, state: State) -> bytes:
        """The whole simulation so far, for `frame` and the viewer."""

    @abstractmethod
    def frame_count(self, replay: bytes) -> int:
        """The number of pictures of a replay; at least one."""

    @abstractmethod
    def frame(self, replay: bytes, number: int) -> str:
        """Picture `number`, from 0, as an SVG element like that of `Game.svg`."""

    @property
    def viewer(self) -> str | None:
        """Name of a JavaScript viewer that plays `replay`; None: pages show the frames."""
        return None

    @property
    def turn_ms(self) -> int | None:
        """CPU time for one order: a slower bot misses a turn; None waits for slow bots."""
        return None

    def columns(self, state: State) -> Sequence[Mapping[str, float]]:
        """The parts of the scores by name, per seat; all seats have the same names, or none."""
        return ()

    @property
    def starter(self) -> str:
        return STARTER.format(title=self.title)
