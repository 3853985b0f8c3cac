"""`Game`: one seat (or chance) moves at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

from engines.competition import Competition, IllegalMove, Outcome
from engines.display.notation import quoted

State = TypeVar("State")
Move = TypeVar("Move")

CHANCE = -1
"""The result of `Game.to_move` if dice or cards move next."""

STARTER = '''\
"""A first bot for {title}: it plays random legal moves."""

import random


def agent(observation, configuration):
    """Return one of the legal moves.

    observation["legal"]     every legal move, as text
    observation["position"]  the board, as text
    observation["seat"]      your seat: 0 moves first
    observation["turn"]      how many moves have been made
    observation["history"]   all of them
    observation["clock_ms"]  CPU time that each seat has left
    """
    chance = random.Random(configuration["seed"] + observation["turn"])
    return chance.choice(observation["legal"])
'''


class Game(Competition, Generic[State, Move]):
    """A game of turns for any number of seats, with or without dice. States are immutable.

    The state holds everything that the rules need, such as earlier positions if repetition counts.
    """

    @abstractmethod
    def start(self, seed: int, seats: int) -> State:
        """The first position. Only games with a random start use the seed."""

    def opening(self, seed: int, seats: int) -> Sequence[Move]:
        """Moves that are made before the bots take over, so that matches differ by their seed.

        They are few, legal one after the other from `start(seed, seats)`, fixed by the seed, never
        end the game, and include no chance moves.
        """
        return ()

    @abstractmethod
    def to_move(self, state: State) -> int:
        """The seat to move, or `CHANCE`."""

    @abstractmethod
    def legal(self, state: State) -> Sequence[Move]:
        """All legal moves, in a fixed order; never empty while `outcome` is None."""

    def chances(self, state: State) -> Sequence[float]:
        """The probability of each move of `legal`, in its order, if `CHANCE` is to move."""
        return ()

    @abstractmethod
    def play(self, state: State, move: Move) -> State:
        """The state after a legal move."""

    def drop(self, state: State, seat: int) -> State:
        """The state in which `seat` has left and the others play on.

        Games that allow more than two seats implement it.
        """
        raise ValueError("a game of two seats ends when one leaves")

    @abstractmethod
    def outcome(self, state: State) -> Outcome | None:
        """The result; None until the game is over."""

    def columns(self, state: State) -> Sequence[Mapping[str, float]]:
        """Other values that the ladder shows by name, per seat; all seats have the same names."""
        return ()

    @abstractmethod
    def format(self, state: State, move: Move) -> str:
        """The move in the usual notation of this game."""

    def readable(self, state: State, move: Move) -> str:
        """The move as pages show it to people, where that differs from `format`."""
        return self.format(state, move)

    def parse(self, state: State, text: str) -> Move:
        """The inverse of `format` for legal moves; raises `IllegalMove` for anything else."""
        for move in self.legal(state):
            if self.format(state, move) == text:
                return move
        raise IllegalMove(f"{quoted(text)} is not a legal move now")

    @abstractmethod
    def position(self, state: State) -> str:
        """The complete state as one line of text.

        If repetition counts, the line includes the earlier positions, for example as the last
        irreversible position and the moves since.
        """

    @abstractmethod
    def from_position(self, text: str) -> State:
        """The inverse of `position`; raises `BadPosition`."""

    def observation(self, state: State, seat: int) -> dict[str, Any]:
        """Facts for `seat` in addition to position, legal moves and history."""
        return {}

    uci: bool = False
    """Whether `position fen` and the text of a position are a command of UCI, and moves are written
    as there: then programs that speak UCI can play."""

    graph: str = ""
    """The name of a number per position that pages draw as a curve; empty if there is none."""

    def graphed(self, state: State) -> float:
        """That number: above 0 if seat 0 is ahead, below 0 if seat 1 is."""
        return 0.0

    @abstractmethod
    def svg(self, state: State, last: Move | None = None) -> str:
        """A picture of the position with the last move marked, as a self-contained `<svg>` element.

        It uses presentation attributes only (no style, script or links), a `viewBox`, and a
        `<title>` for readers who cannot see it.
        """

    @property
    def starter(self) -> str:
        return STARTER.format(title=self.title)
