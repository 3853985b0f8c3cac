"""A toy language with all features of programs, random trees of it, and a plain evaluation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engines.programs import primitives as p
from engines.programs.primitives import Operation as Op
from engines.programs.primitives import Primitive, PrimitiveSet
from engines.programs.trees import Architecture, Node, Option, Program, TreeSlot
from engines.programs.types import Type

INPUTS = 9
ECHO, DRAW = 0, 1

TOYS = PrimitiveSet(
    "toys",
    (
        p.terminal("A", 0),
        p.terminal("Count", 1),
        p.terminal("Flag", 2, Type.QUERY),
        p.located("Square", 3, (range(2), range(1, 4))),
        p.constant("Zero", 0.0),
        p.constant("True", 1.0, Type.BOOLEAN),
        p.ephemeral("Number", -5.0, 5.0),
        p.effect("Draw", DRAW),
        p.effect("Echo", ECHO, (Type.FLOAT,)),
        p.scale("MultERC", -1.0, 1.0),
        *(
            p.function(op.name.title().replace("_", ""), op)
            for op in p.SIGNATURES
            if op is not Op.SCALE
        ),
    ),
)
TOY = Architecture(
    "toy",
    (TreeSlot("value", TOYS, most_depth=12), TreeSlot("choice", TOYS, Type.BOOLEAN, 12)),
    INPUTS,
    {"depth": Option(3, range(1, 9))},
)


def grow(random: np.random.Generator, slot: Type, depth: int, toys: PrimitiveSet = TOYS) -> Node:
    """A random tree of at most this depth."""
    fitting = [
        primitive
        for primitive in (*toys.functions(slot), *toys.terminals(slot))
        if toys.depth_of(primitive) <= depth
    ]
    chosen = fitting[int(random.integers(len(fitting)))]
    arguments = tuple(grow(random, taken, depth - 1, toys) for taken in chosen.takes)
    values = tuple(ephemeral.draw(random) for ephemeral in chosen.ephemerals)
    scaled = bool(chosen.returns & Type.FLOAT) and random.random() < 0.2
    return Node(chosen, arguments, values, float(random.normal()) if scaled else 1.0)


def random_program(seed: int, depth: int = 8) -> Program:
    random = np.random.default_rng(seed)
    trees = tuple(grow(random, slot.returns, depth) for slot in TOY.slots)
    return Program(TOY, trees, {"depth": 4} if seed % 2 else {})


class World:
    """Inputs that effects change, as a game's may."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.inputs = random.normal(size=INPUTS)
        self.inputs[2:] = self.inputs[2:] > 0
        self.effects: list[float] = []

    def act(self, number: int, value: float) -> float:
        self.effects.append(value if number == ECHO else -1.0)
        self.inputs[1] += 1
        return float(len(self.effects))


def evaluate(node: Node, world: World) -> float:
    """The meaning of a tree, slow and plain."""
    result = _plain(node, world)
    return result if node.factor == 1.0 else result * node.factor


def _plain(node: Node, world: World) -> float:
    operation, arguments = node.primitive.operation, node.arguments
    if operation in _LAZY:
        return float(_LAZY[operation](arguments, world))
    values = [evaluate(argument, world) for argument in arguments]
    if operation is Op.INPUT:
        return float(world.inputs[node.primitive.input_of(node.values)])
    if operation is Op.EFFECT:
        return world.act(node.primitive.number, *(values or [0.0]))
    return float(_STRICT[operation](node, *values))


def _truth(node: Node, world: World) -> bool:
    return evaluate(node, world) != 0


def _clamped(value: float) -> float:
    return value if math.isnan(value) else max(-1.0, min(1.0, value))


def _trigonometric(function: Any) -> Any:
    return lambda _, x: math.nan if math.isinf(x) else function(x)


_LAZY: dict[Op, Any] = {
    Op.IF: lambda a, w: evaluate(a[1] if _truth(a[0], w) else a[2], w),
    Op.IF_GREATER: lambda a, w: evaluate(
        a[2] if evaluate(a[0], w) > evaluate(a[1], w) else a[3], w
    ),
    Op.IF_POSITIVE: lambda a, w: evaluate(a[1] if evaluate(a[0], w) > 0 else a[2], w),
    Op.AND: lambda a, w: _truth(a[0], w) and _truth(a[1], w),
    Op.OR: lambda a, w: _truth(a[0], w) or _truth(a[1], w),
    Op.NAND: lambda a, w: not (_truth(a[0], w) and _truth(a[1], w)),
    Op.NOR: lambda a, w: not (_truth(a[0], w) or _truth(a[1], w)),
    Op.FIRST: lambda a, w: evaluate(a[0], w),
    Op.NOT_FIRST: lambda a, w: not _truth(a[0], w),
}
_STRICT: dict[Op, Any] = {
    Op.CONSTANT: lambda node: node.primitive.value,
    Op.NUMBER: lambda node: node.values[0],
    Op.SCALE: lambda node, x: node.values[0] * x,
    Op.ADD: lambda _, x, y: x + y,
    Op.SUB: lambda _, x, y: x - y,
    Op.MUL: lambda _, x, y: x * y,
    Op.DIV: lambda _, x, y: x / y if y != 0 else 0,
    Op.MIN: lambda _, x, y: y if y < x else x,
    Op.MAX: lambda _, x, y: y if y > x else x,
    Op.ABS: lambda _, x: abs(x),
    Op.NEG: lambda _, x: -x,
    Op.SIN: _trigonometric(math.sin),
    Op.COS: _trigonometric(math.cos),
    Op.ASIN: lambda _, x: math.asin(_clamped(x)),
    Op.ACOS: lambda _, x: math.acos(_clamped(x)),
    Op.TAN: lambda _, x: math.tan(x),
    Op.GREATER: lambda _, x, y: x > y,
    Op.SMALLER: lambda _, x, y: x < y,
    Op.LOWER_EQUAL: lambda _, x, y: x <= y,
    Op.NOT: lambda _, x: x == 0,
}


def named(name: str) -> Primitive:
    return TOYS.by_name[name]
