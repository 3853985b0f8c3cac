"""Random trees: grow, full, and ramped half-and-half. They never fail and never exceed limits.

A primitive set knows the depth of the shallowest tree of each type. So at every place, only
primitives that fit the remaining depth are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from engines.programs.primitives import Primitive, PrimitiveSet
from engines.programs.trees import MOST_DEPTH, MOST_NODES, Architecture, Node, Program, TreeSlot
from engines.programs.types import Type
from evolve.errors import BadParameter


@dataclass(frozen=True, slots=True)
class TreeLimits:
    """The largest size of evolved programs, unless the game allows less."""

    depth: int = 10
    """Depth of each tree."""
    nodes: int = 500
    """Nodes of all trees together."""

    def __post_init__(self) -> None:
        if not 1 <= self.depth <= MOST_DEPTH:
            raise BadParameter(f"the depth of trees must be 1 to {MOST_DEPTH}, not {self.depth}")
        if not 1 <= self.nodes <= MOST_NODES:
            raise BadParameter(f"nodes must be 1 to {MOST_NODES}, not {self.nodes}")

    def depth_of(self, slot: TreeSlot) -> int:
        return min(self.depth, slot.most_depth)

    def nodes_of(self, architecture: Architecture) -> int:
        return min(self.nodes, architecture.most_nodes)

    def check(self, architecture: Architecture) -> None:
        """Raise `BadParameter` unless programs of the architecture fit."""
        for slot in architecture.slots:
            least = slot.primitives.least_depth(slot.returns)
            if least > self.depth:
                raise BadParameter(
                    f"the tree {slot.name} needs a depth of {least}; the limit is {self.depth}"
                )
        smallest = sum(_smallest(slot.primitives, slot.returns) for slot in architecture.slots)
        if smallest > self.nodes_of(architecture):
            raise BadParameter(
                f"the smallest program has {smallest} nodes; the limit is {self.nodes}"
            )


def _smallest(primitives: PrimitiveSet, slot: Type) -> int:
    """Nodes of the smallest among the shallowest trees."""
    choices = _choices(primitives, slot, primitives.least_depth(slot), False)
    return min(1 + sum(_smallest(primitives, taken) for taken in p.takes) for p in choices)


@lru_cache(maxsize=4096)
def _choices(primitives: PrimitiveSet, slot: Type, depth: int, full: bool) -> Sequence[Primitive]:
    """The primitives that fit a place with `depth` levels left, its own included."""
    fitting = [
        p for p in primitives.primitives if p.returns.fits(slot) and primitives.depth_of(p) <= depth
    ]
    inner = [p for p in fitting if p.takes] if full else []
    return tuple(inner or fitting)


def make_node(random: np.random.Generator, primitive: Primitive, *arguments: Node) -> Node:
    """A node with newly drawn constants."""
    return Node(primitive, arguments, tuple(e.draw(random) for e in primitive.ephemerals))


Method = Callable[[np.random.Generator, PrimitiveSet, Type, int], Node]


def grow(random: np.random.Generator, primitives: PrimitiveSet, slot: Type, depth: int) -> Node:
    """A tree with functions and terminals at every place, up to the depth (Koza's Grow)."""
    return _build(random, primitives, slot, depth, False)


def full(random: np.random.Generator, primitives: PrimitiveSet, slot: Type, depth: int) -> Node:
    """A tree with functions down to the last level, if its types have any (Koza's Full)."""
    return _build(random, primitives, slot, depth, True)


def _build(
    random: np.random.Generator, primitives: PrimitiveSet, slot: Type, depth: int, filled: bool
) -> Node:
    choices = _choices(primitives, slot, depth, filled)
    if not choices:
        # The caller gave too little depth: use the shallowest primitives.
        choices = _choices(primitives, slot, primitives.least_depth(slot), filled)
    chosen = choices[int(random.integers(len(choices)))]
    arguments = (_build(random, primitives, taken, depth - 1, filled) for taken in chosen.takes)
    return make_node(random, chosen, *arguments)


def fitting(
    random: np.random.Generator,
    method: Method,
    primitives: PrimitiveSet,
    slot: Type,
    depth: int,
    nodes: int,
) -> Node | None:
    """A tree within depth and nodes, with less depth if it becomes too large; or None."""
    for less in range(depth, primitives.least_depth(slot) - 1, -1):
        tree = method(random, primitives, slot, less)
        if tree.size <= nodes:
            return tree
    return None


def ramped(
    random: np.random.Generator,
    architecture: Architecture,
    limits: TreeLimits,
    place: int,
    depths: range = range(2, 7),
    options: Mapping[str, int] = MappingProxyType({}),
) -> Program:
    """Member `place` of a ramped half-and-half population: depths and methods alternate.

    The allowed nodes are divided among the trees.
    """
    method: Method = full if place % 2 else grow
    ramp = depths[(place // 2) % len(depths)]
    share = limits.nodes_of(architecture) // len(architecture.slots)
    trees = []
    for slot in architecture.slots:
        least = slot.primitives.least_depth(slot.returns)
        depth = max(least, min(ramp, limits.depth_of(slot)))
        tree = fitting(random, method, slot.primitives, slot.returns, depth, share)
        if tree is None:
            raise BadParameter(
                f"the tree {slot.name} needs more than {share} nodes: allow more nodes"
            )
        trees.append(tree)
    return Program(architecture, tuple(trees), dict(options))
