"""The nodes of trees: terminals, functions and constants, and the primitive sets of slots.

A set is checked when it is created: every type that it uses must have finite trees, and their least
depth is computed. So the construction of random trees never fails later.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum, auto

import numpy as np

from engines.programs.types import ATOMS, Type

F, B = Type.FLOAT, Type.BOOLEAN

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")

TIMES = "times"
"""The word for a node's factor in the text form; no primitive may have this name."""


class Operation(IntEnum):
    """The operation of a node. Those from `IF` on do not always read all arguments."""

    INPUT = auto()
    """Read an input that the game provides."""
    CONSTANT = auto()
    """The same for every node of this primitive."""
    NUMBER = auto()
    """The node's own number."""
    EFFECT = auto()
    """Carried out by the game, which gets the argument's value and returns the result."""
    ADD = auto()
    SUB = auto()
    MUL = auto()
    DIV = auto()
    """0 if the divisor is 0."""
    SCALE = auto()
    """The argument times the node's own number."""
    MIN = auto()
    MAX = auto()
    ABS = auto()
    NEG = auto()
    SIN = auto()
    COS = auto()
    ASIN = auto()
    """The argument is first clamped to [-1, 1]."""
    ACOS = auto()
    """The argument is clamped as for `ASIN`."""
    TAN = auto()
    GREATER = auto()
    SMALLER = auto()
    LOWER_EQUAL = auto()
    NOT = auto()
    IF = auto()
    IF_GREATER = auto()
    IF_POSITIVE = auto()
    AND = auto()
    OR = auto()
    NAND = auto()
    NOR = auto()
    FIRST = auto()
    """The first of two arguments; the second is an intron."""
    NOT_FIRST = auto()
    """The first of two arguments negated; the second is an intron."""


SIGNATURES: dict[Operation, tuple[Type, tuple[Type, ...]]] = {
    **dict.fromkeys(
        (Operation.ADD, Operation.SUB, Operation.MUL, Operation.DIV, Operation.MIN, Operation.MAX),
        (F, (F, F)),
    ),
    **dict.fromkeys((Operation.ABS, Operation.NEG, Operation.SIN, Operation.COS), (F, (F,))),
    Operation.TAN: (F, (F,)),
    **dict.fromkeys((Operation.ASIN, Operation.ACOS, Operation.SCALE), (F, (F,))),
    **dict.fromkeys((Operation.GREATER, Operation.SMALLER, Operation.LOWER_EQUAL), (B, (F, F))),
    **dict.fromkeys((Operation.AND, Operation.OR, Operation.NAND, Operation.NOR), (B, (B, B))),
    Operation.NOT: (B, (B,)),
    Operation.IF: (F, (B, F, F)),
    Operation.IF_GREATER: (F, (F, F, F, F)),
    Operation.IF_POSITIVE: (F, (F, F, F)),
    Operation.FIRST: (F, (F, F)),
    Operation.NOT_FIRST: (B, (B, B)),
}
"""The result type and argument types of each operation."""


class BadPrimitives(ValueError):
    """Primitives that cannot form trees. The message says why."""


@dataclass(frozen=True, slots=True)
class Ephemeral:
    """A constant of each new node, drawn from a range or from a set of values."""

    low: float = 0.0
    high: float = 0.0
    values: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise BadPrimitives(
                "a range of constants must go from a lower to a higher finite number"
            )
        if not all(map(math.isfinite, self.values)):
            raise BadPrimitives("a constant must be a finite number")

    def draw(self, random: np.random.Generator) -> float:
        """A value in [low, high), or one of the set."""
        if self.values:
            return self.values[int(random.integers(len(self.values)))]
        return float(random.uniform(self.low, self.high))

    def allows(self, value: float) -> bool:
        """Whether a text may use the value: one of the set, or any finite number for a range."""
        return value in self.values if self.values else math.isfinite(value)


@dataclass(frozen=True, slots=True)
class Primitive:
    """One kind of node. Make them with the functions below."""

    name: str
    returns: Type
    operation: Operation
    takes: tuple[Type, ...] = ()
    ephemerals: tuple[Ephemeral, ...] = ()
    number: int = 0
    """The number of the (first) input, or of the effect."""
    value: float = 0.0
    """The value of a constant."""
    about: str = ""

    @property
    def inputs(self) -> range:
        """The inputs that nodes of this kind may read."""
        if self.operation is not Operation.INPUT:
            return range(0)
        return range(self.number, self.number + math.prod(len(e.values) for e in self.ephemerals))

    def input_of(self, values: Sequence[float]) -> int:
        """The input that a node with these constants reads: they are the digits of its number."""
        place = 0
        for ephemeral, value in zip(self.ephemerals, values, strict=True):
            place = place * len(ephemeral.values) + ephemeral.values.index(value)
        return self.number + place


def terminal(name: str, number: int, returns: Type = F, about: str = "") -> Primitive:
    """Input `number`."""
    return Primitive(name, returns, Operation.INPUT, number=number, about=about)


def located(
    name: str, number: int, sets: Sequence[Sequence[float]], returns: Type = B, about: str = ""
) -> Primitive:
    """One of the inputs from `number` on: each combination of values of the sets has one."""
    ephemerals = tuple(Ephemeral(values=tuple(map(float, values))) for values in sets)
    if not all(e.values and len(set(e.values)) == len(e.values) for e in ephemerals):
        raise BadPrimitives(f"{name} needs sets of different values")
    return Primitive(name, returns, Operation.INPUT, (), ephemerals, number, about=about)


def constant(name: str, value: float, returns: Type = F, about: str = "") -> Primitive:
    return Primitive(name, returns, Operation.CONSTANT, value=value, about=about)


def ephemeral(
    name: str, low: float, high: float, values: Sequence[float] = (), about: str = ""
) -> Primitive:
    """A number constant per node; in a text it is a bare number."""
    drawn = Ephemeral(low, high, tuple(values))
    return Primitive(name, F, Operation.NUMBER, (), (drawn,), about=about)


def function(name: str, operation: Operation, about: str = "") -> Primitive:
    returns, takes = SIGNATURES[operation]
    return Primitive(name, returns, operation, takes, about=about)


def scale(name: str, low: float, high: float, about: str = "") -> Primitive:
    """A function that multiplies its argument by its own number constant."""
    return Primitive(name, F, Operation.SCALE, (F,), (Ephemeral(low, high),), about=about)


def effect(
    name: str, number: int, takes: Sequence[Type] = (), returns: Type = F, about: str = ""
) -> Primitive:
    """An effect that the game carries out, with at most one argument."""
    if len(takes) > 1:
        raise BadPrimitives(f"{name} has more than one argument: effects have at most one")
    return Primitive(name, returns, Operation.EFFECT, tuple(takes), number=number, about=about)


class PrimitiveSet:
    """The primitives of one slot. Immutable, and checked to allow finite trees."""

    def __init__(self, name: str, primitives: Iterable[Primitive]) -> None:
        self.name = name
        self.primitives = tuple(primitives)
        self.by_name = {primitive.name: primitive for primitive in self.primitives}
        if len(self.by_name) < len(self.primitives):
            raise BadPrimitives(f"{name} has two primitives of one name")
        for word in self.by_name:
            if NAME.fullmatch(word) is None or word == TIMES:
                raise BadPrimitives(f"{word[:60]!r} cannot be the name of a primitive")
        numbers = [p for p in self.primitives if p.operation is Operation.NUMBER]
        if len(numbers) > 1:
            raise BadPrimitives(
                f"{name} has two kinds of number constants: texts cannot distinguish them"
            )
        self.number = numbers[0] if numbers else None
        """The primitive that a bare number in a text belongs to."""
        self._depths = self._prove()

    def _prove(self) -> dict[Type, int]:
        """The least depth of a tree of each atomic type, by growing from the terminals up."""
        depths: dict[Type, int] = {}
        changed = True
        while changed:
            changed = False
            for primitive in self.primitives:
                below = [self._least(depths, slot) for slot in primitive.takes]
                depth = 1 + max(below, default=0)
                for atom in ATOMS:
                    if primitive.returns & atom and depth < depths.get(atom, _NEVER):
                        depths[atom] = depth
                        changed = True
        for primitive in self.primitives:
            for slot in primitive.takes:
                if self._least(depths, slot) >= _NEVER:
                    raise BadPrimitives(
                        f"{primitive.name} of {self.name} takes a {slot.title}, "
                        f"but no finite tree of the set returns one"
                    )
        return depths

    @staticmethod
    def _least(depths: dict[Type, int], slot: Type) -> int:
        return min(depths.get(atom, _NEVER) for atom in ATOMS if atom & slot)

    def least_depth(self, slot: Type) -> int:
        """Depth of the shallowest tree for the slot (1: a terminal); raises `BadPrimitives`."""
        least = self._least(self._depths, slot)
        if least >= _NEVER:
            raise BadPrimitives(f"no tree of {self.name} returns a {slot.title}")
        return least

    def depth_of(self, primitive: Primitive) -> int:
        """Depth of the shallowest tree with this primitive at its root."""
        return 1 + max((self.least_depth(slot) for slot in primitive.takes), default=0)

    def terminals(self, slot: Type) -> tuple[Primitive, ...]:
        """The primitives without arguments that fit the slot, in the order of the set."""
        return tuple(p for p in self.primitives if not p.takes and p.returns.fits(slot))

    def functions(self, slot: Type) -> tuple[Primitive, ...]:
        """The primitives with arguments that fit the slot, in the order of the set."""
        return tuple(p for p in self.primitives if p.takes and p.returns.fits(slot))


_NEVER = 1 << 30
