"""Fitness: what the games of a whole population are worth to each of its members.

A fitness measures populations, not individuals, so that guides, co-play, tournaments and rankings
have one interface and can be summed: `GuideRounds(...) + CoPlay(...)` is the book's Algorithm 3.2.
More is better.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from engines.programs.trees import Program
from evolve.errors import BadSetting
from evolve.field import Field, Fixture


class Fitness(ABC):
    """A way to measure a population."""

    noisy: ClassVar[bool] = True
    """Whether a second measurement may differ. Then elites are measured anew, too."""

    needs_guides: ClassVar[bool] = False

    @abstractmethod
    def measure(self, field: Field, so_far: Any) -> Any:
        """Fitness per individual, as an array; `so_far` is what earlier parts of a sum gave."""

    def __add__(self, other: Fitness) -> Fitness:
        return Sum((*_parts(self), *_parts(other)))


def _parts(fitness: Fitness) -> tuple[Fitness, ...]:
    return fitness.parts if isinstance(fitness, Sum) else (fitness,)


def needs_guides(fitness: Fitness) -> bool:
    """Whether nothing is measured without guides: in a sum, other parts may go on."""
    return all(part.needs_guides for part in _parts(fitness))


def is_noisy(fitness: Fitness) -> bool:
    return any(part.noisy for part in _parts(fitness))


@dataclass(frozen=True)
class Sum(Fitness):
    """Parts measured one after the other; each knows the sum of those before it."""

    parts: tuple[Fitness, ...]

    def measure(self, field: Field, so_far: Any) -> Any:
        gained = np.zeros(field.size)
        for place, part in enumerate(self.parts):
            gained = gained + part.measure(field.part(place), so_far + gained)
        return gained


def _at_least(least: float, **values: float) -> None:
    for name, value in values.items():
        if not least <= value < 1e9:
            raise BadSetting(f"{name} must be {least:g} or more, not {value:g}")


@dataclass(frozen=True)
class Alone(Fitness):
    """Each program by itself, by a function of it: no games, and no noise."""

    worth: Callable[[Program], float]
    noisy: ClassVar[bool] = False

    def measure(self, field: Field, so_far: Any) -> Any:
        return np.array(field.each(self.worth, field.programs), float)


@dataclass(frozen=True)
class GuideRounds(Fitness):
    """Rounds against each guide in turn, for those who are fit enough (Algorithm 3.2).

    Before a round, who trails the best by more than `cutoff` is out of it.
    """

    rounds: int = 1
    games: int = 20
    cutoff: float = float("inf")
    points: float = 1.0
    """Worth of a game."""
    same_games: bool = False
    """Whether the games of a round have the same seeds for all. Then those who do the same play
    only once, which saves games where games hardly vary. Where they do, it is better that copies
    of a program have luck of their own: together they say more about it."""
    needs_guides: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _at_least(1, rounds=self.rounds, games=self.games)
        _at_least(0, points=self.points)
        if not self.cutoff >= 0:
            raise BadSetting("a cut-off is 0 or more")

    def measure(self, field: Field, so_far: Any) -> Any:
        gained = np.zeros(field.size)
        players = field.twins() if self.same_games else list(range(field.size))
        for number, guide in enumerate(field.guides):
            for turn in range(self.rounds):
                total = so_far + gained
                chosen = np.flatnonzero(total >= total.max() - self.cutoff).tolist()
                playing = sorted({players[place] for place in chosen})
                fixtures = [
                    Fixture(place, guide, self.games, (self._luck(place), number, turn))
                    for place in playing
                ]
                met = dict(zip(playing, field.meet(fixtures), strict=True))
                for place in chosen:
                    gained[place] += self.points * met[players[place]].points
        return gained

    def _luck(self, place: int) -> int:
        """Whose seeds an individual has."""
        return 0 if self.same_games else place


@dataclass(frozen=True)
class CoPlay(Fitness):
    """Each plays so many games as Black against others, and exactly as many as White."""

    games: int = 50
    points: float = 1.0

    def __post_init__(self) -> None:
        _at_least(1, games=self.games)
        _at_least(0, points=self.points)

    def measure(self, field: Field, so_far: Any) -> Any:
        fixtures = [
            Fixture(black, white, 1, (black, game))
            for game, pairs in enumerate(pair_off(field, self.games))
            for black, white in pairs
        ]
        gained = np.zeros(field.size)
        for fixture, meeting in zip(fixtures, field.meet(fixtures), strict=True):
            assert isinstance(fixture.against, int)
            gained[fixture.first] += self.points * meeting.points
            gained[fixture.against] += self.points * meeting.mirrored().points
        return gained


def pair_off(field: Field, count: int) -> list[list[tuple[int, int]]]:
    """Pairings in which everybody is once first and once second, never with itself.

    A random circle, and everybody plays who stands some steps on; different steps as long as there
    are any, so that opponents differ.
    """
    if field.size < 2:
        raise BadSetting("who is to play against each other must be two or more")
    random = field.random()
    circle = random.permutation(field.size)
    steps: list[int] = []
    while len(steps) < count:
        steps += (1 + random.permutation(field.size - 1)).tolist()
    return [
        list(zip(circle.tolist(), np.roll(circle, -step).tolist(), strict=True))
        for step in steps[:count]
    ]


@dataclass(frozen=True)
class RandomTwoWays(Fitness):
    """Each meets so many peers drawn at random, and what comes of it counts for both.

    Fitness is the mean per game, so that being drawn often is no merit.
    """

    peers: int = 5
    games: int = 2

    def __post_init__(self) -> None:
        _at_least(1, peers=self.peers, games=self.games)

    def measure(self, field: Field, so_far: Any) -> Any:
        if field.size < 2:
            raise BadSetting("random two-ways needs two individuals or more")
        fixtures = []
        for place in range(field.size):
            others = field.random(place).choice(
                field.size - 1, min(self.peers, field.size - 1), replace=False
            )
            fixtures += [
                # Skipping oneself by counting on.
                Fixture(place, int(other) + (int(other) >= place), self.games, (place, number))
                for number, other in enumerate(others)
            ]
        return _means(field, fixtures)


@dataclass(frozen=True)
class RoundRobin(Fitness):
    """Everybody meets everybody; the mean per game."""

    games: int = 2

    def __post_init__(self) -> None:
        _at_least(1, games=self.games)

    def measure(self, field: Field, so_far: Any) -> Any:
        pairs = combinations(range(field.size), 2)
        return _means(field, [Fixture(a, b, self.games, (a, b)) for a, b in pairs])


def _means(field: Field, fixtures: list[Fixture]) -> Any:
    """Points per game of both sides."""
    gained, played = np.zeros(field.size), np.zeros(field.size)
    for fixture, meeting in zip(fixtures, field.meet(fixtures), strict=True):
        assert isinstance(fixture.against, int)
        gained[fixture.first] += meeting.points
        gained[fixture.against] += meeting.mirrored().points
        played[[fixture.first, fixture.against]] += meeting.games
    return gained / np.maximum(played, 1)


@dataclass(frozen=True)
class SingleElimination(Fitness):
    """A knock-out tournament: 1/n for the losers of the first round, up to 1 for the winner.

    `n` is how many were left when one lost. Equal pairs are decided by lot; of an odd number, one
    goes on without playing.
    """

    games: int = 50

    def __post_init__(self) -> None:
        _at_least(1, games=self.games)

    def measure(self, field: Field, so_far: Any) -> Any:
        worth = np.ones(field.size)
        left = field.random().permutation(field.size).tolist()
        turn = 0
        while len(left) > 1:
            pairs = list(zip(left[::2], left[1::2], strict=False))
            fixtures = [Fixture(a, b, self.games, (a, turn)) for a, b in pairs]
            going_on = left[len(pairs) * 2 :]
            lots = field.random(turn).random(len(pairs))
            for (a, b), meeting, lot in zip(pairs, field.meet(fixtures), lots, strict=True):
                ahead = meeting.points - meeting.games / 2 or lot - 0.5
                winner, loser = (a, b) if ahead > 0 else (b, a)
                worth[loser] = 1 / len(left)
                going_on.append(winner)
            left, turn = sorted(going_on), turn + 1
        return worth


@dataclass(frozen=True)
class FractionalScore(Fitness):
    """The share of the score against each guide, (e + S) / (e + S + A), as a mean (chapter 8).

    With `epsilon`, of two who score nothing the one who evades better is the fitter.
    """

    games: int = 3
    epsilon: float = 1.0
    needs_guides: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _at_least(1, games=self.games)
        _at_least(0, epsilon=self.epsilon)

    def measure(self, field: Field, so_far: Any) -> Any:
        fixtures = [
            Fixture(place, guide, self.games, (place, number))
            for place in range(field.size)
            for number, guide in enumerate(field.guides)
        ]
        shares = [meeting.share(self.epsilon) for meeting in field.meet(fixtures)]
        if not field.guides:
            return np.zeros(field.size)
        return np.array(shares).reshape(field.size, len(field.guides)).mean(axis=1)
