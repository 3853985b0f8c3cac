"""Speed of the interpreter of programs: nodes of random trees per second, in a compiled loop.

Run it with `python -m bench.programs`. All nodes of a tree count, also those of branches that are
not taken, as in other systems' figures: laziness is part of the speed.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

from engines.jit import njit
from engines.programs import primitives as p
from engines.programs.code import flatten
from engines.programs.interpreter import value
from engines.programs.primitives import Operation, PrimitiveSet
from engines.programs.trees import Architecture, Node, Program, TreeSlot
from engines.programs.types import Type

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
ARCHITECTURE = Architecture("bench", (TreeSlot("value", SET),), 10)
TREES, CALLS, RUNS = 200, 200, 7


def full(random: np.random.Generator, slot: Type, depth: int) -> Node:
    choices = SET.terminals(slot) if depth == 1 else SET.functions(slot)
    chosen = choices[int(random.integers(len(choices)))]
    arguments = tuple(full(random, taken, depth - 1) for taken in chosen.takes)
    return Node(chosen, arguments, tuple(e.draw(random) for e in chosen.ephemerals))


@njit
def repeat(code: Any, memory: Any, calls: int) -> float:
    """Evaluate a tree again and again, with inputs that change."""
    total = 0.0
    for call in range(calls):
        memory[call % 10] = call & 7
        total += value(code, 0, memory)
    return total


def main() -> None:
    random = np.random.default_rng(1)
    trees = [full(random, Type.FLOAT, 6 + number % 5) for number in range(TREES)]
    codes = [flatten(Program(ARCHITECTURE, (tree,))) for tree in trees]
    nodes = sum(tree.size for tree in trees)
    figures, executed = [], 0.0
    for _ in range(RUNS + 1):
        memories = [code.new_memory() for code in codes]
        start = time.process_time()
        for code, memory in zip(codes, memories, strict=True):
            repeat(code.instructions, memory, CALLS)
        figures.append(nodes * CALLS / (time.process_time() - start))
        executed = sum(memory[-1] for memory in memories) / (nodes * CALLS)
    print(f"{TREES} trees of depth 6 to 10, {nodes / TREES:.0f} nodes on average")
    print(
        f"{statistics.median(figures[1:]) / 1e6:,.0f} M nodes/s, {executed:.2f} instructions a node"
    )


if __name__ == "__main__":
    main()
