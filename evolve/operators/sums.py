"""Weighted sums of terminals: programs of which only the weights are bred.

    Mobility * w1 + (1 if a friendly piece stands on square 1) * w2 + …

Each term carries its weight as the factor of its node, so such a program is an ordinary one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import count, product
from typing import Any

import numpy as np

from engines.programs.primitives import Operation, Primitive, PrimitiveSet
from engines.programs.trees import Architecture, Node, Program, TreeSlot
from engines.programs.types import Type
from evolve.errors import BadParameter
from evolve.operators.growth import TreeLimits, grow
from evolve.operators.simplification import simplify

GROWN_DEPTH, GROWN_NODES = 4, 12
"""The largest size of a random term."""
LINEAR = (Operation.ADD, Operation.SUB, Operation.NEG, Operation.SCALE)
"""Operations at which no random term begins: weights of other terms express the same."""

TRIES = 1000
"""Number of failed attempts in a row before growing stops."""


def sum_up(
    random: np.random.Generator,
    architecture: Architecture,
    limits: TreeLimits,
    names: Sequence[str],
    grown: int = 0,
) -> tuple[Node, ...]:
    """For each tree of a program an unweighted sum: of the named terminals that it knows, and of
    `grown` small random trees.

    A terminal that looks at places has a term for each place; true counts as 1 and false as 0; the
    constant of a node is the highest of its range. Raises `BadParameter`.
    """
    for name in names:
        if not any(_knows(slot, name) for slot in architecture.slots):
            _terms(architecture.slots[0].primitives, name)
    trees: list[Node] = []
    room = limits.nodes_of(architecture)
    for slot in architecture.slots:
        known = [name for name in names if _knows(slot, name)]
        nodes = [node for name in known for node in _terms(slot.primitives, name)]
        # The largest possible size, so that the check does not depend on chance.
        size = sum(node.size + 1 for node in nodes) + (GROWN_NODES + 1) * grown - 1
        if size > room:
            raise BadParameter(
                f"the sum needs up to {size} nodes, and the limit is {room}: take fewer terms, "
                "or allow more nodes"
            )
        nodes += _grow(random, slot, architecture.inputs, grown)
        tree = _add(_function(slot.primitives, Operation.ADD), nodes)
        if not tree.primitive.returns.fits(slot.returns):
            raise BadParameter(
                f"the tree {slot.name} must be a {slot.returns.title}, but a sum is a Float"
            )
        if tree.depth > limits.depth_of(slot):
            raise BadParameter(
                f"the sum has depth {tree.depth}, and the limit is {limits.depth_of(slot)}: "
                "take fewer terms"
            )
        trees.append(tree)
        room -= tree.size
    return tuple(trees)


def _add(plus: Primitive, nodes: Sequence[Node]) -> Node:
    """The sum of all, as shallow as possible: the shallowest terms are added first."""
    if not nodes:
        raise BadParameter("a sum needs at least one term")
    order = count()
    heap = [(node.depth, next(order), node) for node in nodes]
    heapify(heap)
    while len(heap) > 1:
        both = Node(plus, (heappop(heap)[2], heappop(heap)[2]))
        heappush(heap, (both.depth, next(order), both))
    return heap[0][2]


def _grow(random: np.random.Generator, slot: TreeSlot, inputs: int, wanted: int) -> list[Node]:
    """Different small trees that are not weighted sums themselves."""
    alone = Architecture("term", (TreeSlot("term", slot.primitives),), inputs)
    found: dict[Node, None] = {}
    vain = 0
    while len(found) < wanted:
        tree = grow(random, slot.primitives, Type.FLOAT, GROWN_DEPTH)
        tree = simplify(Program(alone, (tree,))).trees[0]
        vain += 1
        news = tree.arguments and tree.primitive.operation not in LINEAR
        if news and tree.size <= GROWN_NODES and tree not in found:
            found[tree] = None
            vain = 0
        elif vain == TRIES:
            raise BadParameter(
                f"{slot.primitives.name} has fewer than {wanted} different small trees: grow fewer"
            )
    return list(found)


def _knows(slot: TreeSlot, name: str) -> bool:
    return any(one.name == name for one in slot.primitives.terminals(Type.FLOAT | Type.BOOLEAN))


def _terms(known: PrimitiveSet, name: str) -> list[Node]:
    terminals = {one.name: one for one in known.terminals(Type.FLOAT | Type.BOOLEAN)}
    if name not in terminals:
        raise BadParameter(f"unknown terminal {name!r}; known are {', '.join(terminals)}")
    chosen = terminals[name]
    choices = (one.values or (one.high,) for one in chosen.ephemerals)
    nodes = [Node(chosen, (), values) for values in product(*choices)]
    if chosen.returns & Type.FLOAT:
        return nodes
    choice = _function(known, Operation.IF)
    if known.number is None:
        raise BadParameter(f"{known.name} has no number constants, which terms of a sum need")
    one, zero = Node(known.number, (), (1.0,)), Node(known.number, (), (0.0,))
    return [Node(choice, (node, one, zero)) for node in nodes]


def _function(known: PrimitiveSet, operation: Operation) -> Primitive:
    for primitive in known.primitives:
        if primitive.operation is operation:
            return primitive
    raise BadParameter(f"{known.name} has no function {operation.name}, which sums need")


def weights(trees: Sequence[Node]) -> Any:
    """The weights of all terms, in their order."""
    return np.array([term.factor for tree in trees for term in terms_of(tree)])


def names_of(trees: Sequence[Node]) -> list[str]:
    """The names of all terms, in their order: the name of the terminal and its constants.

    Terms that are choices have the name of their condition.
    """
    terms = [term for tree in trees for term in terms_of(tree)]
    named = [term.arguments[0] if term.arguments else term for term in terms]
    return [" ".join([one.primitive.name, *map("{:g}".format, one.values)]) for one in named]


def terms_of(tree: Node) -> Iterator[Node]:
    """The terms of a sum, in their order."""
    if tree.primitive.operation is not Operation.ADD:
        yield tree
        return
    for argument in tree.arguments:
        yield from terms_of(argument)


def weighted(
    architecture: Architecture, trees: Sequence[Node], given: Any, options: Mapping[str, int]
) -> Program:
    """The program with the given weights."""
    left = iter(given.tolist())
    return Program(architecture, tuple(_weigh(tree, left) for tree in trees), dict(options))


def _weigh(tree: Node, left: Iterator[float]) -> Node:
    if tree.primitive.operation is not Operation.ADD:
        return Node(tree.primitive, tree.arguments, tree.values, next(left))
    first, second = tree.arguments
    return Node(tree.primitive, (_weigh(first, left), _weigh(second, left)))
