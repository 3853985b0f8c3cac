"""Fitness: the value of each individual, measured by the games of its whole population.

A fitness measures populations, not individuals, so that guides, co-play, tournaments and rankings
have one interface and can be summed: `GuideRounds(...) + CoPlay(...)` is the book's Algorithm 3.2.
Higher is better.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from engines.programs.trees import Program
from evolve.errors import BadParameter
from evolve.fitness.population import Fixture, Population, individuals


class Fitness(ABC):
    """A way to measure a population."""

    noisy: ClassVar[bool] = True
    """Whether a second measurement may differ. If so, elites are measured again, too."""

    needs_guides: ClassVar[bool] = False

    @abstractmethod
    def measure(self, population: Population, so_far: Any) -> Any:
        """Fitness per individual, as an array; `so_far` is the result of earlier parts of a sum."""

    def __add__(self, other: Fitness) -> Fitness:
        return Sum((*_parts(self), *_parts(other)))


def _parts(fitness: Fitness) -> tuple[Fitness, ...]:
    return fitness.parts if isinstance(fitness, Sum) else (fitness,)


def needs_guides(fitness: Fitness) -> bool:
    """Whether all parts need guides: otherwise, the other parts of a sum measure without them."""
    return all(part.needs_guides for part in _parts(fitness))


def is_noisy(fitness: Fitness) -> bool:
    return any(part.noisy for part in _parts(fitness))


@dataclass(frozen=True)
class Sum(Fitness):
    """Parts measured one after the other; each gets the sum of the previous ones."""

    parts: tuple[Fitness, ...]

    def measure(self, population: Population, so_far: Any) -> Any:
        gained = np.zeros(population.size)
        for place, part in enumerate(self.parts):
            gained = gained + part.measure(population.part(place), so_far + gained)
        return gained


def _at_least(least: float, **values: float) -> None:
    for name, value in values.items():
        if not least <= value < 1e9:
            raise BadParameter(f"{name} must be at least {least:g} and below 1e9, not {value:g}")


@dataclass(frozen=True)
class ProgramMeasure(Fitness):
    """A function of each single program: no games, and no noise."""

    worth: Callable[[Program], float]
    noisy: ClassVar[bool] = False

    def measure(self, population: Population, so_far: Any) -> Any:
        return np.array(population.each(self.worth, population.programs), float)


@dataclass(frozen=True)
class GuideRounds(Fitness):
    """Rounds against each table of guides in turn, for fit individuals (Algorithm 3.2).

    Individuals further behind the best than `cutoff` do not play the round.
    """

    rounds: int = 1
    games: int = 20
    cutoff: float = float("inf")
    points: float = 1.0
    """Value of a won game."""
    same_games: bool = False
    """Whether the games of a round have the same seeds for all. Then equal programs play only once,
    which saves games if games hardly vary. If they vary, different seeds are better: copies of a
    program then measure it more precisely together."""
    needs_guides: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _at_least(1, rounds=self.rounds, games=self.games)
        _at_least(0, points=self.points)
        if not self.cutoff >= 0:
            raise BadParameter(f"cutoff must be at least 0, not {self.cutoff:g}")

    def measure(self, population: Population, so_far: Any) -> Any:
        gained = np.zeros(population.size)
        players = population.first_equals() if self.same_games else list(range(population.size))
        for number, table in enumerate(population.guide_tables()):
            for turn in range(self.rounds):
                total = so_far + gained
                chosen = np.flatnonzero(total >= total.max() - self.cutoff).tolist()
                playing = sorted({players[place] for place in chosen})
                fixtures = [
                    Fixture(place, table, self.games, (self._luck(place), number, turn))
                    for place in playing
                ]
                met = dict(zip(playing, population.meet(fixtures), strict=True))
                for place in chosen:
                    gained[place] += self.points * met[players[place]].points
        return gained

    def _luck(self, place: int) -> int:
        """The key of an individual's seeds."""
        return 0 if self.same_games else place


@dataclass(frozen=True)
class CoPlay(Fitness):
    """Each plays `games` games against peers on each seat of a table."""

    games: int = 50
    points: float = 1.0

    def __post_init__(self) -> None:
        _at_least(1, games=self.games)
        _at_least(0, points=self.points)

    def measure(self, population: Population, so_far: Any) -> Any:
        fixtures = [
            Fixture(first, tuple(others), 1, (first, game))
            for game, tables in enumerate(seat_everybody(population, self.games))
            for first, *others in tables
        ]
        gained = np.zeros(population.size)
        for fixture, meeting in zip(fixtures, population.meet(fixtures), strict=True):
            for player, place in enumerate(individuals(fixture)):
                gained[place] += self.points * meeting.seen_by(player).points
        return gained


def seat_everybody(population: Population, count: int) -> list[list[tuple[int, ...]]]:
    """Seatings in which every individual has each seat of a table once, never with itself.

    All stand in a random circle, and each sits with the individuals a few steps further on. The
    steps differ as long as possible, so that opponents differ.
    """
    others = population.seats - 1
    _check_enough(population)
    random = population.random()
    circle = random.permutation(population.size)
    steps: list[list[int]] = []
    while len(steps) < count:
        drawn = (1 + random.permutation(population.size - 1)).tolist()
        steps += [drawn[at : at + others] for at in range(0, len(drawn) - others + 1, others)]
    return [
        list(zip(*(np.roll(circle, -step).tolist() for step in (0, *some)), strict=True))
        for some in steps[:count]
    ]


def _check_enough(population: Population) -> None:
    if population.size < population.seats:
        raise BadParameter(
            f"{population.size} individuals cannot fill a table of {population.seats}: "
            "raise the population"
        )


@dataclass(frozen=True)
class RandomTwoWays(Fitness):
    """Each meets random peers at `peers` tables, and the results count for all players.

    Fitness is the mean per game, so that being drawn often is no advantage.
    """

    peers: int = 5
    """Number of tables; a table of two has one peer."""
    games: int = 2

    def __post_init__(self) -> None:
        _at_least(1, peers=self.peers, games=self.games)

    def measure(self, population: Population, so_far: Any) -> Any:
        _check_enough(population)
        others = population.seats - 1
        tables = min(self.peers, (population.size - 1) // others)
        fixtures = []
        for place in range(population.size):
            drawn = population.random(place).choice(
                population.size - 1, tables * others, replace=False
            )
            # Numbers from the own place on shift by one, to skip it.
            peers = [int(other) + (int(other) >= place) for other in drawn]
            fixtures += [
                Fixture(
                    place,
                    tuple(peers[number * others : (number + 1) * others]),
                    self.games,
                    (place, number),
                )
                for number in range(tables)
            ]
        return _means(population, fixtures)


@dataclass(frozen=True)
class RoundRobin(Fitness):
    """All possible tables are played; fitness is the mean per game."""

    games: int = 2

    def __post_init__(self) -> None:
        _at_least(1, games=self.games)

    def measure(self, population: Population, so_far: Any) -> Any:
        tables = combinations(range(population.size), population.seats)
        return _means(
            population,
            [Fixture(first, tuple(rest), self.games, (first, *rest)) for first, *rest in tables],
        )


def _means(population: Population, fixtures: list[Fixture]) -> Any:
    """Points per game of each individual."""
    gained, played = np.zeros(population.size), np.zeros(population.size)
    for fixture, meeting in zip(fixtures, population.meet(fixtures), strict=True):
        for player, place in enumerate(individuals(fixture)):
            gained[place] += meeting.seen_by(player).points
            played[place] += meeting.games
    return gained / np.maximum(played, 1)


@dataclass(frozen=True)
class SingleElimination(Fitness):
    """A knock-out tournament: a loser gets 1/n, where n individuals were left; the winner gets 1.

    Equal pairs are decided by lot; if the number is odd, one advances without playing.
    """

    games: int = 50

    def __post_init__(self) -> None:
        _at_least(1, games=self.games)

    def measure(self, population: Population, so_far: Any) -> Any:
        if population.seats != 2:
            raise BadParameter(
                f"SingleElimination needs 2 seats, not {population.seats}: use CoPlay or RoundRobin"
            )
        worth = np.ones(population.size)
        left = population.random().permutation(population.size).tolist()
        turn = 0
        while len(left) > 1:
            pairs = list(zip(left[::2], left[1::2], strict=False))
            fixtures = [Fixture(a, (b,), self.games, (a, turn)) for a, b in pairs]
            going_on = left[len(pairs) * 2 :]
            lots = population.random(turn).random(len(pairs))
            for (a, b), meeting, lot in zip(pairs, population.meet(fixtures), lots, strict=True):
                ahead = meeting.points - meeting.games / 2 or lot - 0.5
                winner, loser = (a, b) if ahead > 0 else (b, a)
                worth[loser] = 1 / len(left)
                going_on.append(winner)
            left, turn = sorted(going_on), turn + 1
        return worth


@dataclass(frozen=True)
class FractionalScore(Fitness):
    """The share of the score at each table of guides, (e + S) / (e + S + A), as a mean (chapter 8).

    S is the own score, A that of all others at the table. With `epsilon`, the better evader of two
    individuals without points is the fitter one.
    """

    games: int = 3
    epsilon: float = 1.0
    same_games: bool = False
    """Whether all individuals play the same games, with the same dice: fewer are then enough to
    tell them apart."""
    needs_guides: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _at_least(1, games=self.games)
        _at_least(0, epsilon=self.epsilon)

    def measure(self, population: Population, so_far: Any) -> Any:
        tables = population.guide_tables()
        fixtures = [
            Fixture(place, table, self.games, (0 if self.same_games else place, number))
            for place in range(population.size)
            for number, table in enumerate(tables)
        ]
        shares = [meeting.share(self.epsilon) for meeting in population.meet(fixtures)]
        if not tables:
            return np.zeros(population.size)
        return np.array(shares).reshape(population.size, len(tables)).mean(axis=1)
