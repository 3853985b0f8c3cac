"""Evolution's speed: our trees against DEAP's compiled call on the same trees, and games played.

Run it with `python -m bench.evolve`. Both see the same inputs, in the same order. All nodes of a
tree count, also those of branches that are not taken: laziness is part of the speed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from deap import gp

from engines.programs.primitives import Operation
from engines.programs.trees import Node
from evolve import bench


def if_then_else(choice: bool, one: float, other: float) -> float:
    return one if choice else other


_FUNCTIONS: dict[str, tuple[Callable[..., Any], list[type], type]] = {
    "Add": (operator.add, [float, float], float),
    "Sub": (operator.sub, [float, float], float),
    "Mul": (operator.mul, [float, float], float),
    "If": (if_then_else, [bool, float, float], float),
    "And": (operator.and_, [bool, bool], bool),
    "Or": (operator.or_, [bool, bool], bool),
    "Not": (operator.not_, [bool], bool),
    "LowerEqual": (operator.le, [float, float], bool),
}


def deap_set() -> Any:
    types = [float] * 6 + [bool] * 4
    known = gp.PrimitiveSetTyped("main", types, float)
    names = [f"F{number}" for number in range(6)] + [f"B{number}" for number in range(6, 10)]
    known.renameArguments(**{f"ARG{number}": name for number, name in enumerate(names)})
    for name, (function, takes, returns) in _FUNCTIONS.items():
        known.addPrimitive(function, takes, returns, name=name)
    return known


def written(node: Node) -> str:
    """The tree as DEAP writes it, which is what its compiler takes."""
    if node.primitive.operation is Operation.NUMBER:
        return repr(node.values[0])
    if not node.arguments:
        return node.primitive.name
    return f"{node.primitive.name}({', '.join(map(written, node.arguments))})"


def deap_nodes_per_second(trees: Sequence[Node]) -> float:
    """Of calls of functions that DEAP has compiled beforehand."""
    known = deap_set()
    calls = [gp.compile(written(tree), known) for tree in trees]
    rows = [[*row[:6], *map(bool, row[6:])] for row in bench.sample_inputs().tolist()]

    def once() -> None:
        for call in calls:
            for row in rows:
                call(*row)

    nodes = sum(tree.size for tree in trees) * len(rows)
    return nodes / bench.typical_seconds(once)


def main() -> None:
    trees = bench.sample_trees()
    theirs, ours = deap_nodes_per_second(trees), bench.nodes_per_second(trees)
    print(f"DEAP's compiled call: {theirs / 1e6:,.1f} M nodes/s")
    print(f"ours:                 {ours / 1e6:,.1f} M nodes/s, {ours / theirs:.0f} times as many")
    for line in bench.figures():
        print(line, flush=True)


if __name__ == "__main__":
    main()
