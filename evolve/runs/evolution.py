"""Generations, one after the other: an iterator of states; each state is enough to continue from.

    for state in Evolution(domain, seed=1):
        print(state.generation, state.best.fitness)

The next state depends only on (domain, seed, guides, state).
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
from evolve.errors import BadGuide, BadParameter, GuideFailed
from evolve.fitness.measures import is_noisy
from evolve.fitness.meetings import Opponent
from evolve.fitness.population import Population
from evolve.operators.breeding import FirstGeneration, Streams
from evolve.streams import StreamPurpose, stream

HALL = 64
"""Size of the hall of fame: the most champions of earlier generations kept for the finals."""


@dataclass(frozen=True)
class Individual:
    """A program with its generation, its island and its fitness there."""

    program: Program
    fitness: float
    generation: int
    island: int


@dataclass(frozen=True)
class Island:
    """A measured population."""

    programs: tuple[Program, ...]
    fitness: tuple[float, ...]

    @property
    def best(self) -> int:
        return max(range(len(self.fitness)), key=lambda place: (self.fitness[place], -place))


@dataclass(frozen=True)
class GuideFailure:
    """A guide that failed, and the name of the guide that replaced it, if any."""

    generation: int
    name: str
    reason: str
    replacement: str | None


@dataclass(frozen=True)
class EvolutionState:
    """A measured generation, and the necessary facts about earlier ones."""

    generation: int
    islands: tuple[Island, ...]
    games: int
    """Games of this generation."""
    instructions: int
    """Program instructions executed in this generation's games."""
    total_games: int
    hall: tuple[Individual, ...]
    """The best of each generation; of every second, fourth … when there are many."""
    peak: float
    """The best fitness so far."""
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
        """All individuals, fittest first."""
        individuals = [
            Individual(program, fitness, self.generation, number)
            for number, island in enumerate(self.islands)
            for program, fitness in zip(island.programs, island.fitness, strict=True)
        ]
        return sorted(individuals, key=lambda each: -each.fitness)


@dataclass(frozen=True)
class Participants:
    """The opponents and programs that a run is given, besides the programs that it breeds."""

    guides: Sequence[Opponent] = ()
    reserve: Sequence[Opponent] = ()
    """Opponents that replace guides that fail, in this order."""
    founders: Sequence[Program] = ()
    """Programs that the first generation of each island begins with."""


@dataclass(frozen=True)
class IslandTask:
    """All that is needed to measure one island; picklable if its parts are."""

    domain: Domain
    guides: Sequence[Opponent]
    seed: int
    island: int
    generation: int
    programs: Sequence[Program]
    known: Sequence[float]
    """Fitness of the first programs, which are not measured again."""


class Evolution:
    """Iterate to evolve. `stopped` says afterwards why it ended.

    Games run on `workers` threads. With an `executor`, islands run on that instead, one task per
    island and generation; domain, guides and programs then have to be picklable.
    """

    def __init__(
        self,
        domain: Domain,
        seed: int,
        participants: Participants | None = None,
        workers: int = 1,
        executor: Executor | None = None,
        state: EvolutionState | None = None,
    ) -> None:
        if workers < 1:
            raise BadParameter(f"workers must be at least 1, not {workers}")
        if seed < 0:
            raise BadParameter(f"the seed must be at least 0, not {seed}")
        given = participants or Participants()
        self.domain = domain
        self.seed = seed
        self.stopped: str | None = None
        self._guides = list(given.guides)
        self._reserve = list(given.reserve)
        self._workers = workers
        self._executor = executor
        self._state = state
        self._until = np.inf
        for failure in state.failures if state else ():
            self._replace(failure.name)
        self._check_guides()
        # At once, so that errors show before a run begins.
        self._first = self._create(given.founders) if state is None else []

    def _check_guides(self) -> None:
        if self.domain.needs_guides and not self._guides:
            raise BadGuide(f"{self.domain.name} measures fitness against guides: name at least one")

    @property
    def guides(self) -> Sequence[Opponent]:
        """The guides in use."""
        return tuple(self._guides)

    def __iter__(self) -> Iterator[EvolutionState]:
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

    def _ended(self, state: EvolutionState) -> bool:
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

    def _create(self, founders: Sequence[Program]) -> list[list[Program]]:
        """The first generation of each island: the founders, then new programs."""
        control = self.domain.control
        entered = [replace(one, options=dict(self.domain.options)) for one in founders]
        control.check_founders(entered)
        wanted = FirstGeneration(
            architecture=self.domain.architecture,
            limits=control.limits,
            count=control.population,
            ramp=control.ramp,
            options=self.domain.options,
        )
        grown = [
            control.breeding.create(
                self._streams(StreamPurpose.FOUNDING, island, 0),
                stream(self.seed, StreamPurpose.FOUNDING),
                wanted,
            )
            for island in range(control.islands.count)
        ]
        return [entered + programs[len(entered) :] for programs in grown]

    def _breed(self, state: EvolutionState) -> list[list[Program]]:
        control, generation = self.domain.control, state.generation
        bred = [
            control.breeding.breed(
                self._streams(StreamPurpose.BREEDING, number, generation),
                one.programs,
                one.fitness,
                control.limits,
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
        self, before: EvolutionState | None, bred: list[list[Program]], pool: Executor | None
    ) -> EvolutionState:
        """Measure a generation. If a guide fails and is replaced, measure all of it again."""
        generation = 0 if before is None else before.generation + 1
        failures: list[GuideFailure] = []
        while True:
            tasks = [
                IslandTask(
                    domain=self.domain,
                    guides=tuple(self._guides),
                    seed=self.seed,
                    island=number,
                    generation=generation,
                    programs=programs,
                    known=self._known(before, number),
                )
                for number, programs in enumerate(bred)
            ]
            try:
                if self._executor is None:
                    measured = [measure_island(task, pool) for task in tasks]
                else:
                    futures = [self._executor.submit(measure_island, task) for task in tasks]
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
        """Replace a guide by the next of the reserve that does not play yet, or drop the guide."""
        at = next((at for at, guide in enumerate(self._guides) if guide.name == name), None)
        if at is None:
            raise BadGuide(f"the guide {name} failed, but this run has no such guide")
        playing = {guide.name for guide in self._guides}
        self._reserve = [one for one in self._reserve if one.name not in playing]
        if not self._reserve:
            del self._guides[at]
            return None
        self._guides[at] = self._reserve.pop(0)
        return self._guides[at].name

    def _known(self, before: EvolutionState | None, island: int) -> list[float]:
        """Fitness of the elites, which stand first, if measuring them again would repeat it."""
        if before is None or is_noisy(self.domain.fitness):
            return []
        count = self.domain.control.breeding.elites
        return sorted(before.islands[island].fitness, reverse=True)[:count]


def measure_island(task: IslandTask, pool: Executor | None = None) -> tuple[list[float], int, int]:
    """Fitness of an island's programs, games played, and instructions executed."""
    key = (StreamPurpose.FITNESS, task.island, task.generation)
    programs = task.programs[len(task.known) :]
    population = Population(task.domain.arena, programs, task.guides, task.seed, key, pool)
    worth = task.domain.fitness.measure(population, np.zeros(population.size))
    fitness = [*task.known, *(float(value) for value in worth)]
    if not np.isfinite(fitness).all():
        raise BadParameter(
            f"the fitness of {task.domain.name} must be a finite number for every program"
        )
    return fitness, population.costs.games, int(population.costs.instructions.sum())


def _follow(
    before: EvolutionState | None,
    generation: int,
    islands: tuple[Island, ...],
    games: int,
    instructions: int,
    failures: tuple[GuideFailure, ...],
) -> EvolutionState:
    """The state after `before`, with an updated history."""
    state = EvolutionState(
        generation, islands, games, instructions, games, (), -np.inf, 0, failures
    )
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
