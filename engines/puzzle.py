"""`Puzzle`: every seat solves the same instances, alone, and answers each with a whole solution."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from engines.competition import Competition

Instance = TypeVar("Instance")
Solution = TypeVar("Solution")

STARTER = '''\
"""A first bot for {title}: it gives up on every instance."""


def agent(observation, configuration):
    """Return a whole solution; a wrong one, or None, does not solve the instance.

    observation["instance"]   the problem, as text
    observation["number"]     which problem of the match it is, from 0
    observation["instances"]  how many there are
    observation["clock_ms"]   CPU time that you have left for the match
    """
    return None
'''


class Puzzle(Competition, Generic[Instance, Solution]):
    """A match is a series of instances fixed by the seed.

    The seat that solves more instances ranks higher, then the seat that needs fewer moves in all
    for the instances it solved. Instances and solutions are immutable.
    """

    seats: frozenset[int] = frozenset({2})

    @abstractmethod
    def instances(self, seed: int) -> Sequence[Instance]:
        """The problems of a match: at least one, the same for every seat."""

    @abstractmethod
    def text(self, instance: Instance) -> str:
        """The instance as one line, in its usual notation."""

    @abstractmethod
    def from_text(self, text: str) -> Instance:
        """The inverse of `text`; raises `BadPosition`."""

    def observation(self, instance: Instance) -> dict[str, Any]:
        """Facts for bots in addition to the text of the instance."""
        return {}

    @abstractmethod
    def solution(self, instance: Instance, answer: Any) -> Solution:
        """A bot's answer (decoded JSON) as a solution that was checked step by step.

        Raises `IllegalMove` if the answer does not solve this instance; the message names the
        first step that is wrong.
        """

    @abstractmethod
    def answer(self, instance: Instance, solution: Solution) -> Any:
        """The inverse of `solution`: JSON that a bot could have sent."""

    @abstractmethod
    def steps(self, instance: Instance, solution: Solution) -> Sequence[str]:
        """The moves of a solution in their usual notation; fewer moves rank higher."""

    @abstractmethod
    def svg(self, instance: Instance, solution: Solution | None = None, step: int = 0) -> str:
        """The instance after that many steps of a solution, drawn like `Game.svg`."""

    @property
    def starter(self) -> str:
        return STARTER.format(title=self.title)
