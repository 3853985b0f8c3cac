"""Trees as immutable values, programs of trees, and the architecture that a game requires."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from engines.programs.primitives import BadPrimitives, Operation, Primitive, PrimitiveSet
from engines.programs.types import Type

MOST_NODES = 4_000
"""The most nodes in all trees of a program: their code fits 16-bit slots and jumps."""

MOST_DEPTH = 100
"""The largest depth of one tree, small enough for recursive functions."""


class BadProgram(ValueError):
    """An invalid program. The message says what is wrong, and the place in a text."""


@dataclass(frozen=True, slots=True)
class Node:
    """A tree: its root and the trees below. Checked when it is created."""

    primitive: Primitive
    arguments: tuple[Node, ...] = ()
    values: tuple[float, ...] = ()
    """The constants of this node."""
    factor: float = 1.0
    """The result of a Float node is multiplied by this."""
    size: int = field(init=False, compare=False, repr=False)
    depth: int = field(init=False, compare=False, repr=False)
    effects: bool = field(init=False, compare=False, repr=False)
    """Whether this node or a node below has an effect."""

    def __post_init__(self) -> None:
        primitive = self.primitive
        if len(self.arguments) != len(primitive.takes):
            raise BadProgram(_arity(primitive))
        for slot, argument in zip(primitive.takes, self.arguments, strict=True):
            if not argument.primitive.returns.fits(slot):
                raise BadProgram(
                    f"{primitive.name} takes a {slot.title}, "
                    f"and {argument.primitive.name} is a {argument.primitive.returns.title}"
                )
        if len(self.values) != len(primitive.ephemerals) or not all(
            ephemeral.allows(value)
            for ephemeral, value in zip(primitive.ephemerals, self.values, strict=True)
        ):
            raise BadProgram(f"{primitive.name} does not have such constants")
        if self.factor != 1.0 and not (
            math.isfinite(self.factor) and primitive.returns & Type.FLOAT
        ):
            raise BadProgram("a factor must be a finite number on a Float node")
        size = 1 + sum(argument.size for argument in self.arguments)
        depth = 1 + max((argument.depth for argument in self.arguments), default=0)
        if depth > MOST_DEPTH or size > MOST_NODES:
            raise BadProgram(f"a tree has at most {MOST_NODES} nodes and depth {MOST_DEPTH}")
        effects = primitive.operation is Operation.EFFECT or any(a.effects for a in self.arguments)
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "depth", depth)
        object.__setattr__(self, "effects", effects)

    def walk(self) -> Iterator[Node]:
        """All nodes, each before those below it."""
        yield self
        for argument in self.arguments:
            yield from argument.walk()


def _arity(primitive: Primitive) -> str:
    count = len(primitive.takes)
    return f"{primitive.name} takes {count} argument{'s' * (count != 1)}"


@dataclass(frozen=True, slots=True)
class TreeSlot:
    """A place for a tree in a program."""

    name: str
    primitives: PrimitiveSet
    returns: Type = Type.FLOAT
    most_depth: int = MOST_DEPTH
    about: str = ""

    def __post_init__(self) -> None:
        least = self.primitives.least_depth(self.returns)
        if not least <= self.most_depth <= MOST_DEPTH:
            raise BadPrimitives(f"no tree fits {self.name} with depth {self.most_depth}")


@dataclass(frozen=True, slots=True)
class Option:
    """A whole number that a program may set."""

    default: int
    allowed: range


@dataclass(frozen=True)
class Architecture:
    """The structure of the programs of a game."""

    game: str
    slots: tuple[TreeSlot, ...]
    inputs: int
    """The number of inputs that the game provides for terminals."""
    options: Mapping[str, Option] = field(default_factory=dict)
    most_nodes: int = MOST_NODES

    def __post_init__(self) -> None:
        for slot in self.slots:
            for primitive in slot.primitives.primitives:
                if primitive.inputs and primitive.inputs[-1] >= self.inputs:
                    raise BadPrimitives(
                        f"{primitive.name} reads an input beyond the {self.inputs} inputs"
                    )


@dataclass(frozen=True)
class Program:
    """One tree per slot, and the options. Checked when it is created; raises `BadProgram`."""

    architecture: Architecture
    trees: tuple[Node, ...]
    options: Mapping[str, int] = field(default_factory=dict)
    """Only the options that were set; `option` also returns defaults."""

    def __post_init__(self) -> None:
        slots = self.architecture.slots
        if len(self.trees) != len(slots):
            raise BadProgram(f"a program has {len(slots)} trees")
        for slot, tree in zip(slots, self.trees, strict=True):
            if not tree.primitive.returns.fits(slot.returns):
                raise BadProgram(f"the tree {slot.name} must be a {slot.returns.title}")
            if tree.depth > slot.most_depth:
                raise BadProgram(f"the tree {slot.name} is deeper than {slot.most_depth}")
            known = slot.primitives.by_name
            for node in tree.walk():
                if known.get(node.primitive.name) != node.primitive:
                    raise BadProgram(f"there is no {node.primitive.name} in the tree {slot.name}")
        if self.size > self.architecture.most_nodes:
            raise BadProgram(
                f"the program has {self.size} nodes; at most {self.architecture.most_nodes}"
            )
        for name, value in self.options.items():
            option = self.architecture.options.get(name)
            if option is None or value not in option.allowed:
                raise BadProgram(f"the option {name} cannot be {value}")

    @property
    def size(self) -> int:
        """Nodes of all trees."""
        return sum(tree.size for tree in self.trees)

    def option(self, name: str) -> int:
        return self.options.get(name, self.architecture.options[name].default)
