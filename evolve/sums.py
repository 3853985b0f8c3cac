"""Weighted sums of what primitives tell: programs of which the weights alone are bred.

    Mobility * w1 + (1 if a friendly piece stands on square 1) * w2 + …

Each term carries its weight as its node's factor, so such a program is one as any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from engines.programs.primitives import Operation, Primitive, PrimitiveSet
from engines.programs.trees import Architecture, Node, Program
from engines.programs.types import Type
from evolve.errors import BadSetting
from evolve.growth import Limits


def sum_up(architecture: Architecture, names: Sequence[str], limits: Limits) -> tuple[Node, ...]:
    """For each tree of a program the sum of all that the named terminals tell, unweighted.

    A terminal that looks at places has a term for each of them; what is true counts as 1, and what
    is not as 0; the number of a node's own is the highest of its range. Raises `BadSetting`.
    """
    trees = tuple(_sum(slot.primitives, names) for slot in architecture.slots)
    for slot, tree in zip(architecture.slots, trees, strict=True):
        if not tree.primitive.returns.fits(slot.returns):
            raise BadSetting(f"the tree {slot.name} is a {slot.returns.title}, which no sum is")
        if tree.depth > limits.depth_of(slot):
            raise BadSetting(
                f"the sum has a depth of {tree.depth}, and trees one of {limits.depth_of(slot)} "
                "at the most: name fewer terms"
            )
    size = sum(tree.size for tree in trees)
    if size > limits.nodes_of(architecture):
        raise BadSetting(
            f"the sum has {size} nodes, and programs have {limits.nodes_of(architecture)} at the "
            "most: name fewer terms, or allow more"
        )
    return trees


def _sum(known: PrimitiveSet, names: Sequence[str]) -> Node:
    plus = _function(known, Operation.ADD)
    nodes = [node for name in names for node in _terms(known, name)]
    if not nodes:
        raise BadSetting("a sum has one term or more")
    while len(nodes) > 1:
        pairs = zip(nodes[::2], nodes[1::2], strict=False)
        nodes = [Node(plus, pair) for pair in pairs] + nodes[len(nodes) & ~1 :]
    return nodes[0]


def _terms(known: PrimitiveSet, name: str) -> list[Node]:
    terminals = {one.name: one for one in known.terminals(Type.FLOAT | Type.BOOLEAN)}
    if name not in terminals:
        raise BadSetting(f"there is no terminal {name!r}; there are {', '.join(terminals)}")
    chosen = terminals[name]
    choices = (one.values or (one.high,) for one in chosen.ephemerals)
    nodes = [Node(chosen, (), values) for values in product(*choices)]
    if chosen.returns & Type.FLOAT:
        return nodes
    choice = _function(known, Operation.IF)
    if known.number is None:
        raise BadSetting(f"{known.name} has no numbers to count with")
    one, zero = Node(known.number, (), (1.0,)), Node(known.number, (), (0.0,))
    return [Node(choice, (node, one, zero)) for node in nodes]


def _function(known: PrimitiveSet, operation: Operation) -> Primitive:
    for primitive in known.primitives:
        if primitive.operation is operation:
            return primitive
    raise BadSetting(f"{known.name} has no {operation.name} to make sums with")


def weights(trees: Sequence[Node]) -> Any:
    """Those of all terms, in the order in which they stand."""
    return np.array([term.factor for tree in trees for term in _walk(tree)])


def _walk(tree: Node) -> Iterator[Node]:
    if tree.primitive.operation is not Operation.ADD:
        yield tree
        return
    for argument in tree.arguments:
        yield from _walk(argument)


def weighted(
    architecture: Architecture, trees: Sequence[Node], given: Any, options: Any
) -> Program:
    """The program with the weights given instead of its own."""
    left = iter(given.tolist())
    return Program(architecture, tuple(_weigh(tree, left) for tree in trees), dict(options))


def _weigh(tree: Node, left: Iterator[float]) -> Node:
    if tree.primitive.operation is not Operation.ADD:
        return Node(tree.primitive, tree.arguments, tree.values, next(left))
    first, second = tree.arguments
    return Node(tree.primitive, (_weigh(first, left), _weigh(second, left)))
