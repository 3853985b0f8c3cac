"""Generations, one after the other: an iterator of states, each of which is enough to go on from.

    for state in Evolution(domain, seed=1):
        print(state.generation, state.best.fitness)

What follows from a state depends on (domain, seed, guides, state) alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import numpy as np

from engines.programs.trees import Program
from evolve.domain import Domain
from evolve.errors import BadGuide, BadSetting, GuideFailed
from evolve.fitness.field import Field
from evolve.fitness.measures import is_noisy
from evolve.fitness.meetings import Opponent
from evolve.operators.breeding import Streams
from evolve.streams import StreamPurpose, stream

HALL = 64
"""Champions of earlier generations that are kept for the finals, at most."""


@dataclass(frozen=True)
class Individual:
    """A program, where and when it lived, and how fit it was there."""

    program: Program
    fitness: float
    generation: int
    island: int


@dataclass(frozen=True)
class Island:
    """A population that was measured."""

    programs: tuple[Program, ...]
    fitness: tuple[float, ...]

    @property
    def best(self) -> int:
        return max(range(len(self.fitness)), key=lambda place: (self.fitness[place], -place))


@dataclass(frozen=True)
class GuideFailure:
    """A guide that failed, and who took its place: the name of another one, or None."""

    generation: int
    name: str
    reason: str
    replacement: str | None


@dataclass(frozen=True)
class State:
    """A generation that was measured, and what has to be known of those before it."""

    generation: int
    islands: tuple[Island, ...]
    games: int
    """Of this generation."""
    instructions: int
    """Executed in this generation's games."""
    total_games: int
    hall: tuple[Individual, ...]
    """The best of each generation; only of every second, fourth … when there are many."""
    peak: float
    """The best fitness so far, and its generation."""
    peak_generation: int
    failures: tuple[GuideFailure, ...] = field(default=())

    @property
    def best(self) -> Individual:
        """The fittest of all islands."""
        fittest = [
            Individual(one.programs[one.best], one.fitness[one.best], self.generation, number)
            for number, one in enumerate(self.islands)
        ]
        return max(fittest, key=lambda each: (each.fitness, -each.island))

    def ranked(self) -> list[Individual]:
        """Everybody, fittest first."""
        everybody = [
            Individual(program, fitness, self.generation, number)
            for number, island in enumerate(self.islands)
            for program, fitness in zip(island.programs, island.fitness, strict=True)
        ]
        return sorted(everybody, key=lambda each: -each.fitness)


class Evolution:
    """Iterate to evolve. `stopped` says afterwards why it ended.

    Games run on `workers` threads. With an `executor`, islands run on that instead, one task per
    island and generation; domain, guides and programs then have to be picklable.
    """

    def __init__(
        self,
        domain: Domain,
        seed: int,
        guides: Sequence[Opponent] = (),
        reserve: Sequence[Opponent] = (),
        workers: int = 1,
        executor: Executor | None = None,
        state: State | None = None,
        founders: Sequence[Program] = (),
    ) -> None:
        if workers < 1:
            raise BadSetting("there is one worker or more")
        if seed < 0:
            raise BadSetting("a seed is 0 or more")
        self.domain = domain
        self.seed = seed
        self.stopped: str | None = None
        self._guides = list(guides)
        self._reserve = list(reserve)
        self._workers = workers
        self._executor = executor
        self._state = state
        self._until = np.inf
        for failure in state.failures if state else ():
            self._replace(failure.name)
        self._check_guides()
        # At once, so that whatever is wrong with it is known before a run is begun.
        self._first = self._found(founders) if state is None else []

    def _check_guides(self) -> None:
        if self.domain.needs_guides and not self._guides:
            raise BadGuide(f"{self.domain.name} measures fitness against guides, and there is none")

    @property
    def guides(self) -> Sequence[Opponent]:
        """Those in use."""
        return tuple(self._guides)

    def __iter__(self) -> Iterator[State]:
        minutes = self.domain.control.minutes
        if minutes is not None:
            self._until = time.monotonic() + 60 * minutes
        state = self._state
        with ExitStack() as stack:
            pool = None
            if self._workers > 1 and self._executor is None:
                pool = stack.enter_context(ThreadPoolExecutor(self._workers))
            while state is None or not self._ended(state):
                bred = self._first if state is None else self._breed(state)
                state = self._measure(state, bred, pool)
                self._state = state
                yield state

    def _ended(self, state: State) -> bool:
        control = self.domain.control
        if state.generation + 1 >= control.generations:
            self.stopped = "generations"
        elif (
            control.plateau is not None
            and state.generation - state.peak_generation >= control.plateau
        ):
            self.stopped = "plateau"
        elif time.monotonic() > self._until:
            self.stopped = "time"
        return self.stopped is not None

    def _streams(self, purpose: StreamPurpose, island: int, generation: int) -> Streams:
        return lambda place: stream(self.seed, purpose, island, generation, place)

    def _found(self, founders: Sequence[Program]) -> list[list[Program]]:
        """The first generation of each island: the founders, and others in the places left."""
        control = self.domain.control
        entered = [replace(one, options=dict(self.domain.options)) for one in founders]
        control.check_founders(entered)
        grown = [
            control.breeding.found(
                self._streams(StreamPurpose.FOUNDING, island, 0),
                stream(self.seed, StreamPurpose.FOUNDING),
                *(self.domain.architecture, control.limits, control.population),
                *(control.ramp, self.domain.options),
            )
            for island in range(control.islands.count)
        ]
        return [entered + programs[len(entered) :] for programs in grown]

    def _breed(self, state: State) -> list[list[Program]]:
        control, generation = self.domain.control, state.generation
        bred = [
            control.breeding.breed(
                self._streams(StreamPurpose.BREEDING, number, generation),
                *(one.programs, one.fitness, control.limits),
            )
            for number, one in enumerate(state.islands)
        ]
        control.islands.migrate(
            lambda source, target: stream(
                self.seed, StreamPurpose.MIGRATION, source, generation, target
            ),
            generation,
            [(island.programs, island.fitness) for island in state.islands],
            bred,
            control.breeding.elites,
        )
        return bred

    def _measure(
        self, before: State | None, bred: list[list[Program]], pool: Executor | None
    ) -> State:
        """Measure a generation; from its start again, if a guide fails and is replaced."""
        generation = 0 if before is None else before.generation + 1
        failures: list[GuideFailure] = []
        while True:
            tasks = [
                (
                    *(self.domain, tuple(self._guides), self.seed, number, generation),
                    *(programs, self._known(before, number)),
                )
                for number, programs in enumerate(bred)
            ]
            try:
                if self._executor is None:
                    measured = [measure_island(*task, pool) for task in tasks]
                else:
                    futures = [self._executor.submit(measure_island, *task) for task in tasks]
                    measured = [future.result() for future in futures]
                break
            except GuideFailed as failure:
                after = self._replace(failure.name)
                failures.append(GuideFailure(generation, failure.name, failure.reason, after))
                self._check_guides()
        islands = tuple(
            Island(tuple(programs), tuple(fitness))
            for programs, (fitness, _, _) in zip(bred, measured, strict=True)
        )
        return _follow(
            before,
            generation,
            islands,
            sum(games for _, games, _ in measured),
            sum(instructions for _, _, instructions in measured),
            tuple(failures),
        )

    def _replace(self, name: str) -> str | None:
        """Put the next of the reserve that does not play yet into a guide's place, or drop it."""
        at = next((at for at, guide in enumerate(self._guides) if guide.name == name), None)
        if at is None:
            raise BadGuide(f"the guide {name} failed, but is none of this run's")
        playing = {guide.name for guide in self._guides}
        self._reserve = [one for one in self._reserve if one.name not in playing]
        if not self._reserve:
            del self._guides[at]
            return None
        self._guides[at] = self._reserve.pop(0)
        return self._guides[at].name

    def _known(self, before: State | None, island: int) -> list[float]:
        """Fitness of the elites, which stand first, where measuring them again would be no news."""
        if before is None or is_noisy(self.domain.fitness):
            return []
        count = self.domain.control.breeding.elites
        return sorted(before.islands[island].fitness, reverse=True)[:count]


def measure_island(
    domain: Domain,
    guides: Sequence[Opponent],
    seed: int,
    island: int,
    generation: int,
    programs: Sequence[Program],
    known: Sequence[float],
    pool: Executor | None = None,
) -> tuple[list[float], int, int]:
    """Fitness of an island's programs, the games that it took, and the instructions executed."""
    key = (StreamPurpose.FITNESS, island, generation)
    field = Field(domain.arena, programs[len(known) :], guides, seed, key, pool)
    worth = domain.fitness.measure(field, np.zeros(field.size))
    fitness = [*known, *(float(value) for value in worth)]
    if not np.isfinite(fitness).all():
        raise BadSetting(f"the fitness of {domain.name} is no finite number for all programs")
    return fitness, field.tally.games, int(field.tally.instructions.sum())


def _follow(
    before: State | None,
    generation: int,
    islands: tuple[Island, ...],
    games: int,
    instructions: int,
    failures: tuple[GuideFailure, ...],
) -> State:
    """The state after `before`, with what is kept of the past brought up to date."""
    state = State(generation, islands, games, instructions, games, (), -np.inf, 0, failures)
    if before is not None:
        state = replace(
            state,
            total_games=before.total_games + games,
            hall=before.hall,
            peak=before.peak,
            peak_generation=before.peak_generation,
            failures=before.failures + failures,
        )
    best = state.best
    if best.fitness > state.peak:
        state = replace(state, peak=best.fitness, peak_generation=generation)
    hall = (*state.hall, best)
    return replace(state, hall=hall if len(hall) <= HALL else hall[1::2])
