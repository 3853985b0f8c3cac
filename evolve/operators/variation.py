"""Operators on programs: pure functions of a generator and parents, within limits, typed.

Trees are immutable, so children share unchanged parts. A subtree may go to any slot that accepts
its type (a Query slot accepts several) if depth and nodes stay within the limits. If nothing fits,
the child equals its parent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from engines.programs.trees import Node, Program
from engines.programs.types import Type
from evolve.operators.growth import TreeLimits, fitting, grow

INNER_SHARE = 0.9
"""Probability that a point is an inner node rather than a leaf (Koza)."""

TRIES = 8
"""Number of points of the receiver that a crossover tries."""


class NodePlace(NamedTuple):
    """A node and its place in a tree."""

    at: int
    """Its number in the order of `Node.walk`."""
    node: Node
    slot: Type
    """The type of the place, which may be wider than that of the node."""
    above: int
    """Levels above it."""


def places(tree: Node, slot: Type) -> Iterator[NodePlace]:
    """All places of a tree in the slot, each before those below it."""
    stack = [(tree, slot, 0)]
    index = 0
    while stack:
        node, taken, above = stack.pop()
        yield NodePlace(index, node, taken, above)
        index += 1
        if node.arguments:
            below = zip(node.arguments, node.primitive.takes, strict=True)
            stack += [(argument, takes, above + 1) for argument, takes in below][::-1]


def replace(tree: Node, index: int, new: Node) -> Node:
    """The tree with the subtree at a place replaced."""
    if index == 0:
        return new
    index -= 1
    for number, argument in enumerate(tree.arguments):
        if index < argument.size:
            changed = replace(argument, index, new)
            arguments = (*tree.arguments[:number], changed, *tree.arguments[number + 1 :])
            return Node(tree.primitive, arguments, tree.values, tree.factor)
        index -= argument.size
    raise IndexError("the tree has no such place")


def pick(
    random: np.random.Generator, choices: Sequence[NodePlace], inner_share: float = INNER_SHARE
) -> NodePlace:
    """One of the places: an inner node with the given probability, if there are both kinds."""
    inner = [place for place in choices if place.node.arguments]
    if inner and len(inner) < len(choices):
        if random.random() < inner_share:
            choices = inner
        else:
            choices = [place for place in choices if not place.node.arguments]
    return choices[int(random.integers(len(choices)))]


def _with(program: Program, number: int, tree: Node) -> Program:
    trees = (*program.trees[:number], tree, *program.trees[number + 1 :])
    return Program(program.architecture, trees, program.options)


def _any_slot(random: np.random.Generator, program: Program) -> int:
    return int(random.integers(len(program.trees)))


def cross_one_way(
    random: np.random.Generator,
    donor: Program,
    receiver: Program,
    limits: TreeLimits,
    inner_share: float = INNER_SHARE,
) -> Program:
    """The receiver with one subtree replaced by one of the donor.

    The receiver's place is drawn first; the donor's subtree is drawn among those that fit its slot
    and stay within the limits (Langdon).
    """
    number = _any_slot(random, receiver)
    slot = receiver.architecture.slots[number]
    tree = receiver.trees[number]
    here = list(places(tree, slot.returns))
    there = list(places(donor.trees[number], slot.returns))
    for _ in range(TRIES):
        place = pick(random, here, inner_share)
        room = limits.depth_of(slot) - place.above
        spare = limits.nodes_of(receiver.architecture) - receiver.size + place.node.size
        fits = [
            given
            for given in there
            if given.node.depth <= room
            and given.node.size <= spare
            and given.node.primitive.returns.fits(place.slot)
        ]
        if fits:
            given = pick(random, fits, inner_share)
            return _with(receiver, number, replace(tree, place.at, given.node))
    return receiver


def cross_two_way(
    random: np.random.Generator,
    first: Program,
    second: Program,
    limits: TreeLimits,
    inner_share: float = INNER_SHARE,
) -> tuple[Program, Program]:
    """Both programs with two subtrees swapped; each subtree fits the slot of the other."""
    number = _any_slot(random, first)
    slot = first.architecture.slots[number]
    most, most_nodes = limits.depth_of(slot), limits.nodes_of(first.architecture)
    here = list(places(first.trees[number], slot.returns))
    there = list(places(second.trees[number], slot.returns))
    for _ in range(TRIES):
        a = pick(random, here, inner_share)
        fits = [
            b
            for b in there
            if b.node.depth + a.above <= most
            and a.node.depth + b.above <= most
            and first.size - a.node.size + b.node.size <= most_nodes
            and second.size - b.node.size + a.node.size <= most_nodes
            and b.node.primitive.returns.fits(a.slot)
            and a.node.primitive.returns.fits(b.slot)
        ]
        if fits:
            b = pick(random, fits, inner_share)
            return (
                _with(first, number, replace(first.trees[number], a.at, b.node)),
                _with(second, number, replace(second.trees[number], b.at, a.node)),
            )
    return first, second


def cross_by_fitness(
    random: np.random.Generator,
    first: Program,
    second: Program,
    first_is_fitter: bool,
    limits: TreeLimits,
) -> tuple[Program, Program]:
    """Algorithm 3.1 of the book: a fitter first program donates and stays; otherwise both swap."""
    if first_is_fitter:
        return first, cross_one_way(random, first, second, limits)
    return cross_two_way(random, first, second, limits)


def mutate_subtree(
    random: np.random.Generator,
    parent: Program,
    limits: TreeLimits,
    local_ratio: float = 0.0,
    inner_share: float = INNER_SHARE,
) -> Program:
    """The parent with one newly grown subtree.

    With probability `local_ratio`, if the point is a Float, only its factor changes a little.
    """
    number = _any_slot(random, parent)
    slot = parent.architecture.slots[number]
    tree = parent.trees[number]
    place = pick(random, list(places(tree, slot.returns)), inner_share)
    if place.node.primitive.returns & Type.FLOAT and random.random() < local_ratio:
        return _with(parent, number, replace(tree, place.at, _vary_factor(random, place.node)))
    depth = limits.depth_of(slot) - place.above
    nodes = limits.nodes_of(parent.architecture) - parent.size + place.node.size
    new = fitting(random, grow, slot.primitives, place.slot, depth, nodes)
    if new is None:
        return parent
    return _with(parent, number, replace(tree, place.at, new))


FACTOR_STEP = 0.1
"""Standard deviation of a change of a factor, which begins as 1."""


def _vary_factor(random: np.random.Generator, node: Node) -> Node:
    factor = node.factor + FACTOR_STEP * float(random.standard_normal())
    return Node(node.primitive, node.arguments, node.values, factor)


def mutate_factor(random: np.random.Generator, parent: Program) -> Program:
    """Local mutation alone: the factor of one Float node changes a little."""
    return _mutate_some(
        random, parent, lambda node: bool(node.primitive.returns & Type.FLOAT), _vary_factor
    )


CONSTANT_STEP = 0.1
"""Standard deviation of a change of a constant, as a share of its range."""


def _vary_constant(random: np.random.Generator, node: Node) -> Node:
    values = list(node.values)
    which = int(random.integers(len(values)))
    born = node.primitive.ephemerals[which]
    if born.values:
        values[which] = born.draw(random)
    else:
        step = CONSTANT_STEP * (born.high - born.low) * float(random.standard_normal())
        values[which] = min(max(values[which] + step, born.low), born.high)
    return Node(node.primitive, node.arguments, tuple(values), node.factor)


def mutate_constant(random: np.random.Generator, parent: Program) -> Program:
    """ERC mutation: one constant moves within its range, or is drawn again from its set."""
    return _mutate_some(
        random, parent, lambda node: bool(node.primitive.ephemerals), _vary_constant
    )


def _mutate_some(
    random: np.random.Generator,
    parent: Program,
    wanted: Callable[[Node], bool],
    vary: Callable[[np.random.Generator, Node], Node],
) -> Program:
    """Vary one random node of those wanted; return the parent if there is none."""
    choices = [
        (number, place)
        for number, slot in enumerate(parent.architecture.slots)
        for place in places(parent.trees[number], slot.returns)
        if wanted(place.node)
    ]
    if not choices:
        return parent
    number, place = choices[int(random.integers(len(choices)))]
    changed = replace(parent.trees[number], place.at, vary(random, place.node))
    return _with(parent, number, changed)
