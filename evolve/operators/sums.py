"""Weighted sums of what primitives tell: programs of which the weights alone are bred.

    Mobility * w1 + (1 if a friendly piece stands on square 1) * w2 + …

Each term carries its weight as its node's factor, so such a program is one as any other.
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
"""How large a term may be that is grown at random."""
LINEAR = (Operation.ADD, Operation.SUB, Operation.NEG, Operation.SCALE)
"""With which it does not begin: weights of other terms say the same."""

TRIES = 1000
"""How many are grown in vain, one after the other, before there are no others."""


def sum_up(
    random: np.random.Generator,
    architecture: Architecture,
    limits: TreeLimits,
    names: Sequence[str],
    grown: int = 0,
) -> tuple[Node, ...]:
    """For each tree of a program an unweighted sum: of all that the named terminals tell, and of so
    many small trees grown at random.

    A terminal that looks at places has a term for each of them; what is true counts as 1, and what
    is not as 0; the number of a node's own is the highest of its range. Raises `BadParameter`.
    """
    trees: list[Node] = []
    room = limits.nodes_of(architecture)
    for slot in architecture.slots:
        nodes = [node for name in names for node in _terms(slot.primitives, name)]
        # The most that can be grown, so that whether there is room is no matter of chance.
        size = sum(node.size + 1 for node in nodes) + (GROWN_NODES + 1) * grown - 1
        if size > room:
            raise BadParameter(
                f"the sum has up to {size} nodes, and there is room for {room}: take fewer terms, "
                "or allow more nodes"
            )
        nodes += _grow(random, slot, architecture.inputs, grown)
        tree = _add(_function(slot.primitives, Operation.ADD), nodes)
        if not tree.primitive.returns.fits(slot.returns):
            raise BadParameter(f"the tree {slot.name} is a {slot.returns.title}, which no sum is")
        if tree.depth > limits.depth_of(slot):
            raise BadParameter(
                f"the sum has a depth of {tree.depth}, and trees one of {limits.depth_of(slot)} "
                "at the most: take fewer terms"
            )
        trees.append(tree)
        room -= tree.size
    return tuple(trees)


def _add(plus: Primitive, nodes: Sequence[Node]) -> Node:
    """The sum of all, as shallow as can be: those that are least deep are added first."""
    if not nodes:
        raise BadParameter("a sum has one term or more")
    order = count()
    heap = [(node.depth, next(order), node) for node in nodes]
    heapify(heap)
    while len(heap) > 1:
        both = Node(plus, (heappop(heap)[2], heappop(heap)[2]))
        heappush(heap, (both.depth, next(order), both))
    return heap[0][2]


def _grow(random: np.random.Generator, slot: TreeSlot, inputs: int, wanted: int) -> list[Node]:
    """Different small trees, none of which is itself a weighted sum."""
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
            raise BadParameter(f"{slot.primitives.name} has no {wanted} terms that can be grown")
    return list(found)


def _terms(known: PrimitiveSet, name: str) -> list[Node]:
    terminals = {one.name: one for one in known.terminals(Type.FLOAT | Type.BOOLEAN)}
    if name not in terminals:
        raise BadParameter(f"there is no terminal {name!r}; there are {', '.join(terminals)}")
    chosen = terminals[name]
    choices = (one.values or (one.high,) for one in chosen.ephemerals)
    nodes = [Node(chosen, (), values) for values in product(*choices)]
    if chosen.returns & Type.FLOAT:
        return nodes
    choice = _function(known, Operation.IF)
    if known.number is None:
        raise BadParameter(f"{known.name} has no numbers to count with")
    one, zero = Node(known.number, (), (1.0,)), Node(known.number, (), (0.0,))
    return [Node(choice, (node, one, zero)) for node in nodes]


def _function(known: PrimitiveSet, operation: Operation) -> Primitive:
    for primitive in known.primitives:
        if primitive.operation is operation:
            return primitive
    raise BadParameter(f"{known.name} has no {operation.name} to make sums with")


def weights(trees: Sequence[Node]) -> Any:
    """Those of all terms, in the order in which they stand."""
    return np.array([term.factor for tree in trees for term in terms_of(tree)])


def terms_of(tree: Node) -> Iterator[Node]:
    """What a sum adds up, in the order in which it stands."""
    if tree.primitive.operation is not Operation.ADD:
        yield tree
        return
    for argument in tree.arguments:
        yield from terms_of(argument)


def weighted(
    architecture: Architecture, trees: Sequence[Node], given: Any, options: Mapping[str, int]
) -> Program:
    """The program with the weights given instead of its own."""
    left = iter(given.tolist())
    return Program(architecture, tuple(_weigh(tree, left) for tree in trees), dict(options))


def _weigh(tree: Node, left: Iterator[float]) -> Node:
    if tree.primitive.operation is not Operation.ADD:
        return Node(tree.primitive, tree.arguments, tree.values, next(left))
    first, second = tree.arguments
    return Node(tree.primitive, (_weigh(first, left), _weigh(second, left)))
