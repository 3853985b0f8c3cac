"""A population that is being measured: its programs, its guides, and the games between them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from engines.programs.trees import Program
from evolve.errors import BadParameter
from evolve.fitness.meetings import (
    CompiledProgram,
    GameArena,
    Opponent,
    TableResult,
    play_table,
    seat_opponents,
)
from evolve.operators.simplification import simplify
from evolve.streams import number, stream

CHUNK = 4
"""Meetings per task: few enough to spread over workers, many enough to make tasks cheap."""


class Fixture(NamedTuple):
    """A meeting to be played. Its seed follows from its key: (individual, game, …)."""

    first: int
    others: tuple[int, ...] | tuple[Opponent, ...]
    """The others at the table: individuals by place, or opponents."""
    games: int
    key: tuple[int, ...]


@dataclass
class MeasuringCosts:
    """The cost of measuring a generation."""

    games: int = 0
    instructions: Any = field(default_factory=lambda: np.zeros(0))
    """Instructions per individual."""
    played: Any = field(default_factory=lambda: np.zeros(0))
    """Games per individual."""


class Population:
    """The individuals by place, and `meet`, which plays many games at once."""

    def __init__(
        self,
        arena: GameArena | None,
        programs: Sequence[Program],
        guides: Sequence[Opponent],
        seed: int,
        key: tuple[int, ...],
        pool: Executor | None = None,
    ) -> None:
        self.programs = programs
        self.guides = guides
        self.costs = MeasuringCosts(0, np.zeros(len(programs)), np.zeros(len(programs)))
        self._arena = arena
        self._seed = seed
        self._key = key
        self._pool = pool
        self._contestants: Sequence[CompiledProgram] | None = None

    @property
    def size(self) -> int:
        return len(self.programs)

    @property
    def seats(self) -> int:
        """The number of players at a table."""
        return 2 if self._arena is None else self._arena.seats

    def guide_tables(self) -> list[tuple[Opponent, ...]]:
        """The tables at which each individual meets the guides."""
        return seat_opponents(self.guides, self.seats)

    def part(self, place: int) -> Population:
        """The same population with its own streams, for one part of a sum; costs are shared."""
        if self._arena is not None:
            self._compile(self._arena)
        part = copy.copy(self)
        part._key = (*self._key, place)
        return part

    def first_equals(self) -> list[int]:
        """For each individual, the first one that simplifies to the same program."""
        first: dict[Any, int] = {}
        return [
            first.setdefault((simplify(one).trees, tuple(sorted(one.options.items()))), place)
            for place, one in enumerate(self.programs)
        ]

    def random(self, *key: int) -> np.random.Generator:
        # These keys begin with a number above all places, so no game shares a stream.
        return stream(self._seed, *self._key, self.size, *key)

    def each(self, work: Any, items: Iterable[Any]) -> list[Any]:
        """Apply `work` to every item, on all workers; results have the order of the items."""
        if self._pool is None:
            return [work(item) for item in items]
        rest = list(items)
        chunks = [rest[at : at + CHUNK] for at in range(0, len(rest), CHUNK)]
        done = self._pool.map(lambda chunk: [work(item) for item in chunk], chunks)
        return [result for results in done for result in results]

    def _compile(self, arena: GameArena) -> Sequence[CompiledProgram]:
        if self._contestants is None:
            self._contestants = [CompiledProgram(one, arena.player(one)) for one in self.programs]
        return self._contestants

    def meet(self, fixtures: Sequence[Fixture]) -> list[TableResult]:
        """Play all fixtures; the results do not depend on the workers."""
        if self._arena is None:
            raise BadParameter("this domain has no arena, so its programs cannot play games")
        contestants, arena = self._compile(self._arena), self._arena

        def play(fixture: Fixture) -> TableResult:
            seed = number(self._seed, *self._key, *fixture.key)
            first = contestants[fixture.first]
            opponents = [one for one in fixture.others if not isinstance(one, int)]
            if opponents:
                return play_table([first, *opponents], seed, fixture.games)
            peers = [contestants[place] for place in individuals(fixture)]
            return arena.meet([one.player for one in peers], seed, fixture.games)

        meetings: list[TableResult] = self.each(play, fixtures)
        for fixture, meeting in zip(fixtures, meetings, strict=True):
            self.costs.games += meeting.games
            executed = meeting.instructions or (0,) * len(meeting.scores)
            for place, spent in zip(individuals(fixture), executed, strict=False):
                self.costs.instructions[place] += spent
                self.costs.played[place] += meeting.games
        return meetings


def individuals(fixture: Fixture) -> list[int]:
    """The places of all individuals at the table."""
    return [fixture.first, *(one for one in fixture.others if isinstance(one, int))]
