"""Simplification: shorter programs with the same behaviour, for human readers.

It is sound for every input and every order of effects: a subtree is removed only if it never runs,
or if its replacement behaves the same (except for the sign of a zero). The interpreter itself
computes constants, so they equal those of the program.
"""

from __future__ import annotations

import math

from engines.programs.code import flatten
from engines.programs.interpreter import value
from engines.programs.primitives import Operation as Op
from engines.programs.primitives import PrimitiveSet
from engines.programs.trees import Architecture, Node, Program, TreeSlot
from engines.programs.types import Type

_TRUTHS = {
    Op.GREATER,
    Op.SMALLER,
    Op.LOWER_EQUAL,
    Op.NOT,
    Op.AND,
    Op.OR,
    Op.NAND,
    Op.NOR,
    Op.NOT_FIRST,
}
"""Operations with only the values 0 and 1."""


def simplify(program: Program) -> Program:
    """An equivalent program of at most the same size."""
    trees = tuple(
        _simplify(tree, slot.primitives, program.architecture.inputs)
        for slot, tree in zip(program.architecture.slots, program.trees, strict=True)
    )
    return Program(program.architecture, trees, program.options)


def _simplify(node: Node, known: PrimitiveSet, inputs: int) -> Node:
    """Simplify from the leaves up, and again at each changed node."""
    arguments = tuple(_simplify(argument, known, inputs) for argument in node.arguments)
    node = Node(node.primitive, arguments, node.values, node.factor)
    while True:
        shorter = _folded(node, known, inputs) or _rewritten(node, known, inputs)
        if shorter is None or (shorter.size >= node.size and shorter.factor == node.factor):
            return node
        node = shorter


def _is_constant(node: Node) -> bool:
    return all(n.primitive.operation not in (Op.INPUT, Op.EFFECT) for n in _run_nodes(node))


def _run_nodes(node: Node) -> list[Node]:
    """The nodes that may run: without introns."""
    found, stack = [], [node]
    while stack:
        one = stack.pop()
        found.append(one)
        hidden = one.primitive.operation in (Op.FIRST, Op.NOT_FIRST)
        stack += one.arguments[:1] if hidden else one.arguments
    return found


def _folded(node: Node, known: PrimitiveSet, inputs: int) -> Node | None:
    """A single node for a subtree with a constant value, or None."""
    if (not node.arguments and node.factor == 1.0) or not _is_constant(node):
        return None
    return _constant(_value(node, known, inputs), node.primitive.returns, known)


def _value(node: Node, known: PrimitiveSet, inputs: int) -> float:
    slot = TreeSlot("value", known, node.primitive.returns)
    code = flatten(Program(Architecture("constant", (slot,), inputs), (node,)))
    return value(code.instructions, 0, code.new_memory())


def _constant(number: float, returns: Type, known: PrimitiveSet) -> Node | None:
    """A terminal with this value for slots of this result."""
    for primitive in known.primitives:
        if (
            primitive.operation is Op.CONSTANT
            and primitive.value == number
            and primitive.returns & returns == returns
        ):
            return Node(primitive)
    if known.number is None or returns != Type.FLOAT or not math.isfinite(number):
        return None
    return Node(known.number, (), (number,)) if known.number.ephemerals[0].allows(number) else None


def _rewritten(node: Node, known: PrimitiveSet, inputs: int) -> Node | None:
    """A shorter equivalent node by one of the rules, or None."""
    plain = _by_rule(node, known, inputs)
    if plain is None or node.factor == 1.0:
        return plain
    if plain.factor != 1.0 or not plain.primitive.returns & Type.FLOAT:
        # Two factors round twice; their product would round once and differ.
        return None
    return Node(plain.primitive, plain.arguments, plain.values, node.factor)


def _by_rule(node: Node, known: PrimitiveSet, inputs: int) -> Node | None:
    """Like `_rewritten`, without the node's factor."""
    operation, arguments = node.primitive.operation, node.arguments
    tested = [_known_value(argument, known, inputs) for argument in arguments]
    if operation is Op.FIRST:
        return arguments[0]
    if operation is Op.NOT_FIRST:
        return _without_intron(node, known)
    if operation in (Op.IF, Op.IF_POSITIVE, Op.IF_GREATER):
        return _chosen(operation, arguments, tested)
    if operation in (Op.AND, Op.OR, Op.NAND, Op.NOR):
        return _connected(operation, arguments, known, tested)
    if operation in (Op.ADD, Op.SUB, Op.MUL, Op.DIV):
        return _computed(operation, arguments, known, tested)
    if operation in (Op.NEG, Op.ABS) and arguments[0].factor == 1.0:
        below = arguments[0]
        inner = below.primitive.operation
        if operation is Op.NEG and inner is Op.NEG:
            return below.arguments[0]
        if operation is Op.ABS and inner in (Op.ABS, Op.NEG):
            return Node(node.primitive, below.arguments)
    if operation in (Op.MIN, Op.MAX) and arguments[0] == arguments[1] and not node.effects:
        return arguments[0]
    return None


def _without_intron(node: Node, known: PrimitiveSet) -> Node | None:
    """A plain NOT if there is one, or the smallest intron."""
    for primitive in known.primitives:
        if primitive.operation is Op.NOT:
            return Node(primitive, node.arguments[:1])
    if node.arguments[1].size == 1:
        return None
    leaves = known.terminals(Type.BOOLEAN)
    plain = [leaf for leaf in leaves if not leaf.ephemerals]
    if not plain:
        return None
    return Node(node.primitive, (node.arguments[0], Node(plain[0])))


def _known_value(node: Node, known: PrimitiveSet, inputs: int) -> float | None:
    """The value of a subtree with a constant value, or None."""
    return _value(node, known, inputs) if _is_constant(node) else None


Values = list[float | None]
"""The known values of the arguments."""


def _chosen(operation: Op, arguments: tuple[Node, ...], values: Values) -> Node | None:
    """The branch that is always taken, if there is one."""
    *tested, then, otherwise = arguments
    if then == otherwise and not any(test.effects for test in tested):
        return then
    first, second = values[:2]
    if operation is Op.IF_GREATER:
        if first is not None and second is not None:
            return then if first > second else otherwise
        if tested[0] == tested[1] and not tested[0].effects:
            return otherwise
        return None
    if first is None:
        return None
    holds = first > 0 if operation is Op.IF_POSITIVE else first != 0
    return then if holds else otherwise


def _connected(
    operation: Op, arguments: tuple[Node, ...], known: PrimitiveSet, values: Values
) -> Node | None:
    """A connective with one known side; the second side runs only if the first requires it."""
    negated = operation in (Op.NAND, Op.NOR)
    decisive = operation in (Op.OR, Op.NOR)
    for place, other in ((0, 1), (1, 0)):
        found = values[place]
        if found is None:
            continue
        rest = arguments[other]
        if (found != 0) == decisive:
            if place == 1 and rest.effects:
                return None
            return _constant(float(decisive != negated), Type.BOOLEAN, known)
        if not negated and rest.primitive.operation in _TRUTHS and rest.factor == 1.0:
            return rest
    first, second = arguments
    twice = first == second and not first.effects and first.factor == 1.0
    return first if twice and not negated and first.primitive.operation in _TRUTHS else None


def _computed(
    operation: Op, arguments: tuple[Node, ...], known: PrimitiveSet, values: Values
) -> Node | None:
    """Rules for arithmetic with 0 and 1, and with two equal operands."""
    first, second = arguments
    a, b = values
    if operation is Op.ADD:
        return first if b == 0 else second if a == 0 else None
    if operation is Op.SUB:
        if b == 0:
            return first
        return _constant(0.0, Type.FLOAT, known) if first == second and _finite(first) else None
    if operation is Op.MUL:
        if b == 1:
            return first
        if a == 1:
            return second
        if (b == 0 and _finite(first)) or (a == 0 and _finite(second)):
            return _constant(0.0, Type.FLOAT, known)
        return None
    if b == 1:
        return first
    if b == 0 and not first.effects:
        return _constant(0.0, Type.FLOAT, known)
    return None


def _finite(node: Node) -> bool:
    """Whether the value is certainly finite: inputs of games and constants of texts always are."""
    return node.primitive.operation in (Op.INPUT, Op.NUMBER, Op.CONSTANT) and node.factor == 1.0
