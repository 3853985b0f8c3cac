"""Breeding: the first generation, and each next one by selection and variation.

Elites are copied unchanged to the first places. Every other individual is made from its own stream
of random numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from engines.programs.trees import Architecture, Node, Program
from evolve.errors import BadParameter
from evolve.operators.growth import TreeLimits, ramped
from evolve.operators.recursive import Rates, cross_continuously, mutate_recursively
from evolve.operators.selection import elites, select
from evolve.operators.sums import names_of, sum_up, weighted, weights
from evolve.operators.variation import (
    cross_by_fitness,
    cross_one_way,
    mutate_constant,
    mutate_factor,
    mutate_subtree,
)

Streams = Callable[[int], np.random.Generator]
"""The stream of random numbers of the individual at a place."""


def _check(**shares: float) -> None:
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise BadParameter(f"{name} must be a probability from 0 to 1, not {share:g}")


@dataclass(frozen=True)
class FirstGeneration:
    """The programs that the first generation of an island needs."""

    architecture: Architecture
    limits: TreeLimits
    count: int
    ramp: range
    """Depths of the trees, for ramped half-and-half."""
    options: Mapping[str, int]


class Breeding(ABC):
    """A way to make the first generation, and the next."""

    elites: int
    takes_founders: ClassVar[bool] = True
    """Whether the first generation may contain programs from other runs."""

    def check(self, architecture: Architecture, limits: TreeLimits) -> None:
        """Raise `BadParameter` unless this can breed programs of the architecture."""
        limits.check(architecture)

    def create(
        self, streams: Streams, shared: np.random.Generator, wanted: FirstGeneration
    ) -> list[Program]:
        """The first generation, by ramped half-and-half. `shared` is the same on all islands."""
        return [
            ramped(
                streams(place),
                wanted.architecture,
                wanted.limits,
                place,
                wanted.ramp,
                wanted.options,
            )
            for place in range(wanted.count)
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
        """Make `count` new programs."""

    def breed(
        self,
        streams: Streams,
        programs: Sequence[Program],
        fitness: Sequence[float],
        limits: TreeLimits,
    ) -> list[Program]:
        """The next generation, of the same size: the elites, and children."""
        kept = [programs[place] for place in elites(fitness, self.elites)]
        count = len(programs) - len(kept)
        return kept + self.children(streams, programs, fitness, limits, count)


@dataclass(frozen=True)
class TournamentBreeding(Breeding):
    """Parents are chosen by tournament."""

    crossover: float = 0.8
    mutation: float = 0.1
    tournament: int = field(default=2, kw_only=True)
    """Number of programs that compete to be a parent; 0 selects in proportion to fitness."""
    elites: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        _check(crossover=self.crossover, mutation=self.mutation)
        if self.tournament < 0 or self.elites < 0:
            raise BadParameter("tournament and elites must be at least 0")


@dataclass(frozen=True)
class PairBreeding(TournamentBreeding):
    """Chapter 3: parents form pairs; crossover and mutation act independently.

    If the first of a pair is the fitter one, crossover is one-way, from it (Algorithm 3.1).
    """

    local_ratio: float = 0.0
    """Share of mutations of a Float that only change its factor."""
    constant_ratio: float = 0.0
    """Share of mutations that only change a constant, or the square that a terminal looks at."""

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
        # Parents stand in the order in which they were drawn, so neighbours are random partners.
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
class SingleOperatorBreeding(TournamentBreeding):
    """Chapter 8: one operator makes each child.

    If the shares sum to less than 1, the other children are copies.
    """

    crossover: float = 0.95
    mutation: float = 0.05
    constants: float = 0.0
    """Share of children with one changed constant."""
    factors: float = 0.0
    """Share of children with one changed factor."""
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
class TruncationBreeding(Breeding):
    """Chinese checkers: the best share become parents; children cross continuously and mutate."""

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
class EvolutionStrategy(Breeding):
    """An evolution strategy: programs are weighted sums, and only the weights are bred.

    A generation scatters around a centre. The centre moves towards the programs of the previous
    generation with high fitness, and away from those with low fitness. All programs together
    determine the direction, so that the luck of single programs cancels out. Programs stand in
    pairs on opposite sides of the centre, so that luck common to both moves nothing. The spread is
    that of the previous generation times the cooling: in the end all are close to the centre. Only
    proportions of weights matter, so the centre does not grow beyond the size of the first weights:
    otherwise the programs around it would differ less and less.
    """

    takes_founders: ClassVar[bool] = False
    terms: tuple[str, ...]
    """Names of terminals (`evolve.operators.sums`)."""
    grown: int = 0
    """Terms that are small random trees: they express more than single terminals."""
    spread: float = 1.0
    """Standard deviation of the first weights, and the most that the centre may have."""
    start: Mapping[str, float] = field(default_factory=dict)
    """The centre of the first generation, by term: the name of a terminal and its constants, such
    as `Player-Exposed 6`. Terms that are not named begin at 0."""
    bred: tuple[str, ...] = ()
    """The terminals whose weights are bred, if not all are: the others keep those of `start`. The
    fewer they are, the fewer games show the direction."""
    first_spread: float | None = None
    """Standard deviation of the first weights around the centre, if it differs from `spread`."""
    cooling: float = 0.97
    """The spread is multiplied by this after each generation."""
    stride: float = 6.0
    """The centre moves by this many times the mean of all, weighted by rank: from 1 for the fittest
    to -1. Equally fit programs share their ranks."""
    elites: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.spread < 1e6 or not 0 < self.stride < 1e6:
            raise BadParameter("spread and stride must be above 0 and below a million")
        if self.first_spread is not None and not 0 < self.first_spread < 1e6:
            raise BadParameter("first_spread must be above 0 and below a million")
        if not 0 < self.cooling <= 1:
            raise BadParameter(f"cooling must be above 0 and at most 1, not {self.cooling:g}")
        if self.grown < 0:
            raise BadParameter("grown must be at least 0")

    def check(self, architecture: Architecture, limits: TreeLimits) -> None:
        super().check(architecture, limits)
        if unknown := set(self.bred) - set(self.terms):
            raise BadParameter(f"bred terminals must be among the terms, unlike {min(unknown)!r}")
        sum_up(np.random.default_rng(0), architecture, limits, self.terms, self.grown)

    def create(
        self, streams: Streams, shared: np.random.Generator, wanted: FirstGeneration
    ) -> list[Program]:
        trees = sum_up(shared, wanted.architecture, wanted.limits, self.terms, self.grown)
        centre = np.array([self.start.get(name, 0.0) for name in names_of(trees)])
        centre *= self.spread / max(float(np.sqrt((centre**2).mean())), self.spread)
        spread = self.spread if self.first_spread is None else self.first_spread
        return [
            weighted(wanted.architecture, trees, centre + spread * step, wanted.options)
            for step in self._steps_of(streams, wanted.count, trees)
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
        free = self._free(programs[0].trees)
        spread = self.cooling * float(np.sqrt(known[:, free].var(axis=0).mean()))
        one = programs[0]
        return [
            weighted(one.architecture, one.trees, centre + spread * step, one.options)
            for step in self._steps_of(streams, count, one.trees)
        ]

    def _free(self, trees: Sequence[Node]) -> Any:
        """Whether the weight of each term is bred."""
        names = [name.partition(" ")[0] for name in names_of(trees)]
        return np.array([not self.bred or name in self.bred for name in names])

    def _steps_of(self, streams: Streams, count: int, trees: Sequence[Node]) -> Iterator[Any]:
        free = self._free(trees)
        return (step * free for step in _steps(streams, count, len(free)))


def _ranks(fitness: Sequence[float]) -> Any:
    """Ranks from -1 to 1; equally fit programs get the mean of their ranks."""
    _, level, count = np.unique(fitness, return_inverse=True, return_counts=True)
    middle = np.cumsum(count) - (count + 1) / 2
    return (2 * middle / (len(fitness) - 1) - 1)[level]


def _steps(streams: Streams, count: int, terms: int) -> Iterator[Any]:
    """Normally distributed steps; every second one is the opposite of the previous one."""
    for place in range(count):
        yield streams(place - place % 2).standard_normal(terms) * (-1) ** place
