"""Speed of evolution: our trees against DEAP's compiled call on the same trees, and games.

Run it with `python -m bench.evolve`. The trees are first generations with the book's primitives,
over positions of random games; the hardest case has trees of arithmetic only, without introns and
with random inputs. Both sides see the same inputs in the same order, and must agree on every value.
All nodes of a tree count, also those of skipped branches: laziness and free introns are part of the
speed.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from deap import gp

from engines.alphabeta.evaluators import describe
from engines.games import find_game
from engines.programs.primitives import Operation
from engines.programs.trees import Architecture, Node
from engines.programs.types import Type
from evolve import bench

WANTED = 40
POSITIONS = 20


def if_then_else(choice: bool, one: float, other: float) -> float:
    return one if choice else other


def nand(one: bool, other: bool) -> bool:
    return not (one and other)


def nor(one: bool, other: bool) -> bool:
    return not (one or other)


def first(one: float, other: float) -> float:
    return one


def not_first(one: bool, other: bool) -> bool:
    return not one


_FUNCTIONS: dict[Operation, Callable[..., Any]] = {
    Operation.ADD: operator.add,
    Operation.SUB: operator.sub,
    Operation.MUL: operator.mul,
    Operation.SCALE: operator.mul,
    Operation.IF: if_then_else,
    Operation.AND: operator.and_,
    Operation.OR: operator.or_,
    Operation.NOT: operator.not_,
    Operation.NAND: nand,
    Operation.NOR: nor,
    Operation.FIRST: first,
    Operation.NOT_FIRST: not_first,
    Operation.LOWER_EQUAL: operator.le,
}


class Sample(NamedTuple):
    name: str
    architecture: Architecture
    inputs: npt.NDArray[np.float64]
    """A row per position."""


def samples() -> list[Sample]:
    names = ("lose-checkers", "checkers", "checkers-10x10", "reversi")
    games: list[Any] = [find_game(name) for name in names]
    found = [Sample(one.name, one.programs.architecture, positions(one)) for one in games]
    return [*found, Sample("arithmetic", bench.ARCHITECTURE, bench.sample_inputs(POSITIONS))]


def positions(game: Any) -> npt.NDArray[np.float64]:
    """Inputs of programs for positions of random games."""
    rng, rows = random.Random(game.name), list[Sequence[float]]()
    while len(rows) < POSITIONS:
        state = game.start(0)
        for _ in range(rng.randrange(4, 30)):
            if game.outcome(state) is None:
                state = game.play(state, rng.choice(game.legal(state)))
        if game.outcome(state) is None:
            rows.append(describe(state, game.programs.inputs))
    return np.array(rows)


def written(node: Node) -> str:
    """The tree in DEAP's notation, for its compiler."""
    primitive = node.primitive
    if primitive.operation is Operation.INPUT:
        return f"I{primitive.input_of(node.values)}"
    if primitive.operation is Operation.NUMBER:
        return repr(node.values[0])
    if primitive.operation is Operation.CONSTANT:
        return repr(_typed(primitive.value, primitive.returns))
    arguments = [*map(written, node.arguments), *map(repr, node.values)]
    return f"{primitive.operation.name}({', '.join(arguments)})"


def _typed(value: float, returns: Type) -> bool | float:
    return bool(value) if returns is Type.BOOLEAN else float(value)


def deap_call(
    tree: Node, inputs: npt.NDArray[np.float64]
) -> tuple[Callable[..., float], list[Any]]:
    """A tree compiled by DEAP, and its arguments for each position."""
    reads = {
        node.primitive.input_of(node.values): node.primitive.returns
        for node in tree.walk()
        if node.primitive.operation is Operation.INPUT
    }
    known = gp.PrimitiveSet("main", len(reads))
    known.renameArguments(**{f"ARG{place}": f"I{number}" for place, number in enumerate(reads)})
    for operation, function in _FUNCTIONS.items():
        known.addPrimitive(function, 3 if operation is Operation.IF else 2, name=operation.name)
    rows = [[_typed(row[number], reads[number]) for number in reads] for row in inputs]
    compiled = gp.compile(written(tree), known)
    return (compiled if reads else lambda: compiled), rows


def compare(sample: Sample) -> float:
    """The ratio of our nodes per second to DEAP's."""
    trees = bench.sample_trees(sample.architecture.slots[0])
    theirs = [deap_call(tree, sample.inputs) for tree in trees]
    ours = [bench.Evaluation.of(sample.architecture, tree, sample.inputs) for tree in trees]
    for (call, rows), one in zip(theirs, ours, strict=True):
        for place, row in enumerate(rows):
            if not np.isclose(call(*row), one.value(place), rtol=1e-9):
                raise SystemExit(f"{sample.name}: DEAP and we do not agree")

    def call_all() -> None:
        for call, rows in theirs:
            for row in rows:
                call(*row)

    nodes = sum(tree.size for tree in trees)
    slow = nodes * len(sample.inputs) / bench.typical_seconds(call_all)
    fast = bench.nodes_per_second(ours, nodes)
    print(
        f"{sample.name}: {nodes / len(trees):.0f} nodes a tree, DEAP {slow / 1e6:,.1f} M/s, "
        f"ours {fast / 1e6:,.0f} M/s: {fast / slow:.0f} times as many",
        flush=True,
    )
    return fast / slow


def main() -> None:
    *games, hardest = [compare(sample) for sample in samples()]
    print(
        f"at least {min(games):.0f} times in games (wanted: {WANTED}), {hardest:.0f} at the hardest"
    )
    for line in bench.figures():
        print(line, flush=True)


if __name__ == "__main__":
    main()
