"""Benchmarks on one core: trees evaluated, games played, and generations bred per second."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from engines.compiling.jit import njit
from engines.programs import primitives as p
from engines.programs.code import flatten
from engines.programs.interpreter import value
from engines.programs.primitives import Operation, PrimitiveSet
from engines.programs.trees import Architecture, Node, Program, TreeSlot
from engines.programs.types import Type
from evolve import domains
from evolve.fitness.guides import pin, seat
from evolve.fitness.measures import seat_everybody
from evolve.fitness.population import Fixture, Population
from evolve.operators.growth import full, grow
from evolve.runs.evolution import Evolution, EvolutionState, Participants
from evolve.streams import stream

SET = PrimitiveSet(
    "bench",
    (
        *(p.terminal(f"F{number}", number) for number in range(6)),
        *(p.terminal(f"B{number}", number, Type.BOOLEAN) for number in range(6, 10)),
        p.ephemeral("Number", -5, 5),
        p.function("Add", Operation.ADD),
        p.function("Sub", Operation.SUB),
        p.function("Mul", Operation.MUL),
        p.function("If", Operation.IF),
        p.function("And", Operation.AND),
        p.function("Or", Operation.OR),
        p.function("Not", Operation.NOT),
        p.function("LowerEqual", Operation.LOWER_EQUAL),
    ),
)
INPUTS = 10
ARCHITECTURE = Architecture("bench", (TreeSlot("value", SET),), INPUTS)
TREES, CALLS, RUNS = 200, 200, 5


def sample_trees(slot: TreeSlot = ARCHITECTURE.slots[0], count: int = TREES) -> list[Node]:
    """Typed trees, ramped half-and-half from depth 6 to 10; always the same."""
    random = stream(1)
    return [
        (full if number % 2 else grow)(random, slot.primitives, slot.returns, 6 + number // 2 % 5)
        for number in range(count)
    ]


def sample_inputs(count: int = 20) -> Any:
    random = stream(2)
    rows = random.integers(0, 8, (count, INPUTS)).astype(float)
    rows[:, 6:] = random.integers(0, 2, (count, 4))
    return rows


class Evaluation(NamedTuple):
    """A tree that is prepared for many evaluations with changing inputs, as in games."""

    code: Any
    memory: Any
    reads: Any
    rows: Any
    """The inputs that it reads, for each position."""

    @classmethod
    def of(cls, architecture: Architecture, tree: Node, inputs: Any) -> Evaluation:
        code = flatten(Program(architecture, (tree,)))
        reads = np.array(sorted(code.reads), np.int64)
        rows = np.ascontiguousarray(inputs[:, reads])
        return cls(code.instructions, code.new_memory(), reads, rows)

    def value(self, place: int) -> float:
        return _repeat(self.code, self.memory, self.reads, self.rows[place : place + 1], 1)


@njit
def _repeat(code: Any, memory: Any, reads: Any, rows: Any, calls: int) -> float:
    total = 0.0
    for call in range(calls):
        row = rows[call % len(rows)]
        for place in range(len(reads)):
            memory[reads[place]] = row[place]
        total += value(code, 0, memory)
    return total


def nodes_per_second(evaluations: Sequence[Evaluation], nodes: int) -> float:
    """The speed of trees with `nodes` nodes in all, called in a compiled loop. All nodes count."""

    def once() -> None:
        for one in evaluations:
            _repeat(*one, CALLS)

    return nodes * CALLS / typical_seconds(once)


def typical_seconds(work: Callable[[], object], runs: int = RUNS) -> float:
    """The median CPU time of some runs, after one that compiles."""
    work()
    figures = []
    for _ in range(runs):
        start = time.process_time()
        work()
        figures.append(time.process_time() - start)
    return statistics.median(figures)


def games_per_second(name: str, seconds: float = 0.3, **parameters: Any) -> float:
    """The speed of a briefly evolved population: against guides if fitness needs them, else peers.

    One run lasts about `seconds`.
    """
    small = {"population": 24, "generations": 4, **parameters}
    domain = domains.make(name, "quick", small)
    assert domain.arena is not None
    guides = [seat(one, domain.arena) for one in pin(domain.guides, domain.arena)[0]]
    state: EvolutionState = list(Evolution(domain, 1, Participants(guides)))[-1]
    programs = [one.program for one in state.ranked()]
    population = Population(domain.arena, programs, guides, 1, (1,))
    fixtures = list(_fixtures(population, domain.needs_guides))
    started = time.process_time()
    population.meet(fixtures)
    again = max(1, round(seconds / max(time.process_time() - started, 1e-3)))
    games = again * sum(fixture.games for fixture in fixtures)
    return games / typical_seconds(lambda: [population.meet(fixtures) for _ in range(again)], 3)


def _fixtures(population: Population, guided: bool) -> Iterator[Fixture]:
    if guided:
        for place in range(population.size):
            for number, table in enumerate(population.guide_tables()):
                yield Fixture(place, table, 3, (place, number))
    else:
        for game, tables in enumerate(seat_everybody(population, 4)):
            for first, *others in tables:
                yield Fixture(first, tuple(others), 1, (first, game))


def figures() -> Iterator[str]:
    """Lines of text, each as soon as it is measured."""
    trees = sample_trees()
    nodes = sum(tree.size for tree in trees)
    speed = nodes_per_second(
        [Evaluation.of(ARCHITECTURE, tree, sample_inputs()) for tree in trees], nodes
    )
    yield f"{speed / 1e6:,.0f} M nodes/s ({TREES} trees, {nodes / TREES:.0f} nodes each)"
    for name in domains.NAMES:
        yield f"{games_per_second(name):,.0f} games/s of {name}, evolved programs, preset quick"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield f"{peak:,.0f} MiB of memory at most"
