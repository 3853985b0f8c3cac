"""How a run begins, and how a generation follows from the one before: selection and variation put
together.

Elites are copied untouched to the first places. Everybody else is made from a stream of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from engines.programs.trees import Architecture, Program
from evolve.errors import BadSetting
from evolve.operators.growth import TreeLimits, ramped
from evolve.operators.recursive import Rates, cross_continuously, mutate_recursively
from evolve.operators.selection import elites, select
from evolve.operators.sums import sum_up, weighted, weights
from evolve.operators.variation import (
    cross_by_fitness,
    cross_one_way,
    mutate_constant,
    mutate_factor,
    mutate_subtree,
)

Streams = Callable[[int], np.random.Generator]
"""The stream of the individual at a place; the place after the last is for what all share."""


def _check(**shares: float) -> None:
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise BadSetting(f"{name} is a probability, not {share:g}")


class Breeding(ABC):
    """A way to make the first generation, and the next."""

    elites: int
    takes_founders: ClassVar[bool] = True
    """Whether programs from elsewhere may be among the first."""

    def check(self, architecture: Architecture, limits: TreeLimits) -> None:
        """Raise `BadSetting` unless programs of the architecture can be bred so."""
        limits.check(architecture)

    def found(
        self,
        streams: Streams,
        shared: np.random.Generator,
        architecture: Architecture,
        limits: TreeLimits,
        count: int,
        ramp: range,
        options: Mapping[str, int],
    ) -> list[Program]:
        """The first generation: by ramped half-and-half. `shared` is the same on all islands."""
        return [
            ramped(streams(place), architecture, limits, place, ramp, options)
            for place in range(count)
        ]

    @abstractmethod
    def children(
        self,
        streams: Streams,
        programs: Sequence[Program],
        fitness: Sequence[float],
        limits: TreeLimits,
        count: int,
    ) -> list[Program]:
        """So many new programs."""

    def breed(
        self,
        streams: Streams,
        programs: Sequence[Program],
        fitness: Sequence[float],
        limits: TreeLimits,
    ) -> list[Program]:
        """As many programs as there were: the elites, and children."""
        kept = [programs[place] for place in elites(fitness, self.elites)]
        count = len(programs) - len(kept)
        return kept + self.children(streams, programs, fitness, limits, count)


@dataclass(frozen=True)
class ByTournament(Breeding):
    """Parents are chosen by tournament."""

    crossover: float = 0.8
    mutation: float = 0.1
    tournament: int = field(default=2, kw_only=True)
    """How many compete for a parent's place; 0: selection in proportion to fitness."""
    elites: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        _check(crossover=self.crossover, mutation=self.mutation)
        if self.tournament < 0 or self.elites < 0:
            raise BadSetting("tournaments and elites are no fewer than none")


@dataclass(frozen=True)
class Couples(ByTournament):
    """Chapter 3: parents are paired off; crossover and mutation act independently.

    The fitter of a couple, if it stands first, gives one-way (Algorithm 3.1).
    """

    local_ratio: float = 0.0
    """How often a mutation of a Float only changes its factor."""
    constant_ratio: float = 0.0
    """How often a mutation only moves a constant, or looks at another square."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check(local_ratio=self.local_ratio, constant_ratio=self.constant_ratio)

    def children(
        self,
        streams: Streams,
        programs: Sequence[Program],
        fitness: Sequence[float],
        limits: TreeLimits,
        count: int,
    ) -> list[Program]:
        randoms = [streams(place) for place in range(count)]
        # Parents stand in the order in which they were drawn, which is no order at all: their
        # neighbours are partners drawn at random.
        parents = [select(random, fitness, self.tournament) for random in randoms]
        children = [programs[parent] for parent in parents]
        for place in range(0, count - 1, 2):
            first, second = parents[place], parents[place + 1]
            random = randoms[place]
            if random.random() < self.crossover:
                fitter = fitness[first] > fitness[second]
                children[place : place + 2] = cross_by_fitness(
                    random, programs[first], programs[second], fitter, limits
                )
        return [
            self._mutate(random, child, limits) if random.random() < self.mutation else child
            for random, child in zip(randoms, children, strict=True)
        ]

    def _mutate(self, random: np.random.Generator, child: Program, limits: TreeLimits) -> Program:
        if self.constant_ratio and random.random() < self.constant_ratio:
            return mutate_constant(random, child)
        return mutate_subtree(random, child, limits, self.local_ratio)


@dataclass(frozen=True)
class Singles(ByTournament):
    """Chapter 8: each child by one operator.

    Shares that do not sum to 1 leave the rest to copying.
    """

    crossover: float = 0.95
    mutation: float = 0.05
    constants: float = 0.0
    """Share of children with one constant moved."""
    factors: float = 0.0
    """Share of children with one factor moved."""
    tournament: int = field(default=5, kw_only=True)
    elites: int = field(default=2, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        total = self.crossover + self.mutation + self.constants + self.factors
        _check(constants=self.constants, factors=self.factors)
        _check(**{"the sum of the operators": total - 1e-9})

    def children(
        self,
        streams: Streams,
        programs: Sequence[Program],
        fitness: Sequence[float],
        limits: TreeLimits,
        count: int,
    ) -> list[Program]:
        return [self._child(streams(place), programs, fitness, limits) for place in range(count)]

    def _child(
        self,
        random: np.random.Generator,
        programs: Sequence[Program],
        fitness: Sequence[float],
        limits: TreeLimits,
    ) -> Program:
        parent = programs[select(random, fitness, self.tournament)]
        drawn = random.random()
        if drawn < self.crossover:
            donor = programs[select(random, fitness, self.tournament)]
            return cross_one_way(random, donor, parent, limits)
        drawn -= self.crossover
        if drawn < self.mutation:
            return mutate_subtree(random, parent, limits)
        drawn -= self.mutation
        if drawn < self.constants:
            return mutate_constant(random, parent)
        return mutate_factor(random, parent) if drawn < self.constants + self.factors else parent


@dataclass(frozen=True)
class Survivors(Breeding):
    """Chinese checkers: the best share become parents, cross continuously, mutate, and die."""

    share: float = 0.5
    crossover: float = 0.5
    rates: Rates = field(default_factory=Rates)
    elites: int = 0

    def __post_init__(self) -> None:
        _check(share=self.share, crossover=self.crossover)

    def children(
        self,
        streams: Streams,
        programs: Sequence[Program],
        fitness: Sequence[float],
        limits: TreeLimits,
        count: int,
    ) -> list[Program]:
        parents = elites(fitness, max(1, round(self.share * len(programs))))
        children = []
        for place in range(count):
            random = streams(place)
            child = programs[parents[int(random.integers(len(parents)))]]
            if random.random() < self.crossover:
                other = programs[parents[int(random.integers(len(parents)))]]
                child = cross_continuously(random, child, other, limits)
            children.append(mutate_recursively(random, child, limits, self.rates))
        return children


@dataclass(frozen=True)
class Strategy(Breeding):
    """An evolution strategy: programs are weighted sums, of which the weights alone are bred.

    A generation scatters around a centre, which moves towards those who fared well in the one
    before and away from those who fared badly. All of them together say where to go, so that luck,
    which would choose among single ones, cancels out. They stand in pairs on opposite sides of the
    centre, so that what both have in common moves nothing. They scatter as much as those before,
    less what they cool down by: in the end all are close to the centre. Only proportions of weights
    matter, so the centre does not grow beyond the size of the first weights: else those around it
    would come to differ by less and less.
    """

    takes_founders: ClassVar[bool] = False
    terms: tuple[str, ...]
    """Names of terminals (`evolve.operators.sums`)."""
    grown: int = 0
    """Terms that are small trees grown at random: what terminals by themselves do not tell."""
    spread: float = 1.0
    """Standard deviation of the first weights."""
    cooling: float = 0.97
    """What is left of it after a generation."""
    stride: float = 6.0
    """How far the centre moves: by so many times the mean of all, each counted by its rank, from
    1 for the fittest to -1; equals share theirs."""
    elites: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.spread < 1e6 or not 0 < self.stride < 1e6:
            raise BadSetting("spread and stride of weights are above 0, and below a million")
        if not 0 < self.cooling <= 1:
            raise BadSetting(f"cooling is a factor above 0 and up to 1, not {self.cooling:g}")
        if self.grown < 0:
            raise BadSetting("no fewer terms than none are grown")

    def check(self, architecture: Architecture, limits: TreeLimits) -> None:
        super().check(architecture, limits)
        sum_up(np.random.default_rng(0), architecture, limits, self.terms, self.grown)

    def found(
        self,
        streams: Streams,
        shared: np.random.Generator,
        architecture: Architecture,
        limits: TreeLimits,
        count: int,
        ramp: range,
        options: Mapping[str, int],
    ) -> list[Program]:
        trees = sum_up(shared, architecture, limits, self.terms, self.grown)
        terms = len(weights(trees))
        return [
            weighted(architecture, trees, self.spread * step, options)
            for step in _steps(streams, count, terms)
        ]

    def children(
        self,
        streams: Streams,
        programs: Sequence[Program],
        fitness: Sequence[float],
        limits: TreeLimits,
        count: int,
    ) -> list[Program]:
        known = np.array([weights(program.trees) for program in programs])
        centre = known.mean(axis=0)
        ranks = _ranks(fitness)[:, np.newaxis]
        centre = centre + self.stride * (ranks * (known - centre)).mean(axis=0)
        centre /= max(1.0, float(np.sqrt((centre**2).mean())) / self.spread)
        spread = self.cooling * float(np.sqrt(known.var(axis=0).mean()))
        one = programs[0]
        return [
            weighted(one.architecture, one.trees, centre + spread * step, one.options)
            for step in _steps(streams, count, len(centre))
        ]


def _ranks(fitness: Sequence[float]) -> Any:
    """From -1 to 1; the mean of their ranks for those who are equal."""
    _, level, count = np.unique(fitness, return_inverse=True, return_counts=True)
    middle = np.cumsum(count) - (count + 1) / 2
    return (2 * middle / (len(fitness) - 1) - 1)[level]


def _steps(streams: Streams, count: int, terms: int) -> Iterator[Any]:
    """Normally distributed; every second one is the opposite of the one before it."""
    for place in range(count):
        yield streams(place - place % 2).standard_normal(terms) * (-1) ** place
