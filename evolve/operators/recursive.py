"""Operators that act on whole trees from the root down.

After Mukherjee, Parangi and Bailey, "A Genetic Programming Approach to Modified Chinese Checkers":
recursive mutation by insertion, deletion and modification, and continuous crossover. Here they are
typed: a change that does not fit its slot is skipped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.programs.primitives import Primitive, PrimitiveSet
from engines.programs.trees import Node, Program
from engines.programs.types import Type
from evolve.errors import BadParameter
from evolve.operators.growth import TreeLimits, grow, make_node


@dataclass(frozen=True, slots=True)
class Rates:
    """Probabilities per node. Insertion and deletion are balanced, so that trees do not grow."""

    insert: float = 0.02
    delete: float = 0.02
    modify: float = 0.04

    def __post_init__(self) -> None:
        parts = (self.insert, self.delete, self.modify)
        if not all(0 <= part <= 1 for part in parts) or sum(parts) > 1:
            raise BadParameter("rates of mutation are probabilities that sum to at most 1")


def mutate_recursively(
    random: np.random.Generator, parent: Program, limits: TreeLimits, rates: Rates
) -> Program:
    """From the roots down, insert above, delete or modify each node, at these rates."""
    trees = tuple(
        _mutate(random, slot.primitives, tree, slot.returns, limits.depth_of(slot), rates)
        for slot, tree in zip(parent.architecture.slots, parent.trees, strict=True)
    )
    if sum(tree.size for tree in trees) > limits.nodes_of(parent.architecture):
        return parent
    return Program(parent.architecture, trees, parent.options)


def _mutate(
    random: np.random.Generator,
    known: PrimitiveSet,
    node: Node,
    slot: Type,
    room: int,
    rates: Rates,
) -> Node:
    """The mutated node, at most `room` levels deep."""
    drawn = random.random()
    if drawn < rates.insert:
        node = _insert(random, known, node, slot, room)
    elif drawn < rates.insert + rates.delete:
        node = _delete(random, node, slot)
    elif drawn < rates.insert + rates.delete + rates.modify:
        node = _modify(random, known, node, slot)
    arguments = tuple(
        _mutate(random, known, argument, taken, room - 1, rates)
        for argument, taken in zip(node.arguments, node.primitive.takes, strict=True)
    )
    return Node(node.primitive, arguments, node.values, node.factor)


def _insert(
    random: np.random.Generator, known: PrimitiveSet, node: Node, slot: Type, room: int
) -> Node:
    """A new function with the node as one argument, and others as shallow as possible."""
    returns = node.primitive.returns
    choices = [
        (primitive, place)
        for primitive in known.functions(slot)
        if known.depth_of(primitive) <= room and node.depth < room
        for place, taken in enumerate(primitive.takes)
        if returns.fits(taken)
    ]
    if not choices:
        return node
    primitive, at = choices[int(random.integers(len(choices)))]
    arguments = [
        node if place == at else grow(random, known, taken, known.least_depth(taken))
        for place, taken in enumerate(primitive.takes)
    ]
    return make_node(random, primitive, *arguments)


def _delete(random: np.random.Generator, node: Node, slot: Type) -> Node:
    """One of the arguments, which replaces the node."""
    choices = [a for a in node.arguments if a.primitive.returns.fits(slot)]
    return choices[int(random.integers(len(choices)))] if choices else node


def _modify(random: np.random.Generator, known: PrimitiveSet, node: Node, slot: Type) -> Node:
    """Another primitive with the same arguments; a terminal for a terminal."""
    choices = [p for p in known.primitives if p.returns.fits(slot) and _takes(p, node.arguments)]
    chosen = choices[int(random.integers(len(choices)))] if choices else node.primitive
    if chosen == node.primitive and not chosen.ephemerals:
        return node
    return make_node(random, chosen, *node.arguments)


def _takes(primitive: Primitive, arguments: tuple[Node, ...]) -> bool:
    return len(primitive.takes) == len(arguments) and all(
        argument.primitive.returns.fits(taken)
        for argument, taken in zip(arguments, primitive.takes, strict=True)
    )


def cross_continuously(
    random: np.random.Generator, first: Program, second: Program, limits: TreeLimits
) -> Program:
    """At every place one of the two nodes persists, and their arguments are crossed in turn.

    No tree gets deeper than the deeper of the two.
    """
    trees = tuple(
        _cross(random, one, other, slot.returns)
        for slot, one, other in zip(
            first.architecture.slots, first.trees, second.trees, strict=True
        )
    )
    if sum(tree.size for tree in trees) > limits.nodes_of(first.architecture):
        return first
    return Program(first.architecture, trees, first.options)


def _cross(random: np.random.Generator, own: Node, other: Node, slot: Type) -> Node:
    """`own` fits the slot; `other` persists only if it fits too."""
    kept, left = own, other
    if other.primitive.returns.fits(slot) and random.random() < 0.5:
        kept, left = other, own
    arguments = tuple(
        _cross(random, argument, left.arguments[place], taken)
        if place < len(left.arguments)
        else argument
        for place, (argument, taken) in enumerate(
            zip(kept.arguments, kept.primitive.takes, strict=True)
        )
    )
    return Node(kept.primitive, arguments, kept.values, kept.factor)
