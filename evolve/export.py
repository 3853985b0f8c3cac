"""Export of programs: as text, as a Python module, or in a form of their game."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engines.games import UnknownGame, find_game
from engines.programs.primitives import Operation as Op
from engines.programs.text import write
from engines.programs.trees import Node, Program
from evolve.errors import BadParameter


def export(program: Program, form: str, name: str = "Champion") -> str:
    """The program as `lisp`, `python`, or in a form of its game; raises `BadParameter`."""
    game = program.architecture.game
    own: Mapping[str, Callable[[Program, str], str]]
    try:
        own = find_game(game).program_exports
    except UnknownGame:
        own = {}
    known = {"lisp": lambda one, _: write(one), "python": lambda one, _: to_python(one), **own}
    if form not in known:
        raise BadParameter(
            f"unknown form {form!r}: programs of {game} can be exported to {', '.join(known)}"
        )
    try:
        return known[form](program, name)
    except ValueError as error:
        raise BadParameter(str(error)) from error


_HEAD = '''\
"""An evolved program of {game}.

Each function is a tree. `see(name, *constants)` returns the value of a terminal.
`do(name, *values)` carries out an effect and returns its result.
"""

import math


def _div(x, y):
    return x / y if y else 0.0


def _within(x):
    return max(-1.0, min(1.0, x))
'''

_BINARY = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*"}
_COMPARED = {Op.GREATER: ">", Op.SMALLER: "<", Op.LOWER_EQUAL: "<="}
_CALLED = {
    Op.DIV: "_div({}, {})",
    Op.MIN: "min({}, {})",
    Op.MAX: "max({}, {})",
    Op.ABS: "abs({})",
    Op.NEG: "(-{})",
    Op.SIN: "math.sin({})",
    Op.COS: "math.cos({})",
    Op.ASIN: "math.asin(_within({}))",
    Op.ACOS: "math.acos(_within({}))",
    Op.TAN: "math.tan({})",
    Op.NOT: "float(not {})",
    Op.NOT_FIRST: "float(not {})",
    Op.AND: "float(bool({} and {}))",
    Op.OR: "float(bool({} or {}))",
    Op.NAND: "float(not ({} and {}))",
    Op.NOR: "float(not ({} or {}))",
    Op.FIRST: "{}",
}


def to_python(program: Program) -> str:
    """A module with a function per tree, which needs only the standard library."""
    parts = [_HEAD.format(game=program.architecture.game)]
    for slot, tree in zip(program.architecture.slots, program.trees, strict=True):
        name = slot.name.replace("-", "_")
        parts.append(f"\n\ndef {name}(see, do):\n    return {_expression(tree)}\n")
    return "".join(parts)


def _expression(node: Node) -> str:
    plain = _plain(node)
    return plain if node.factor == 1.0 else f"({plain} * {node.factor!r})"


def _plain(node: Node) -> str:
    primitive, operation = node.primitive, node.primitive.operation
    if operation is Op.CONSTANT:
        return repr(primitive.value)
    if operation is Op.NUMBER:
        return _number(node.values[0])
    if operation is Op.INPUT:
        return f"see({', '.join([repr(primitive.name), *map(_whole, node.values)])})"
    parts = [_expression(argument) for argument in node.arguments]
    if operation is Op.EFFECT:
        return f"do({', '.join([repr(primitive.name), *parts])})"
    if operation is Op.SCALE:
        return f"({parts[0]} * {_number(node.values[0])})"
    if operation is Op.IF:
        return f"({parts[1]} if {parts[0]} else {parts[2]})"
    if operation is Op.IF_POSITIVE:
        return f"({parts[1]} if {parts[0]} > 0 else {parts[2]})"
    if operation is Op.IF_GREATER:
        return f"({parts[2]} if {parts[0]} > {parts[1]} else {parts[3]})"
    if operation in _BINARY:
        return f"({parts[0]} {_BINARY[operation]} {parts[1]})"
    if operation in _COMPARED:
        return f"float({parts[0]} {_COMPARED[operation]} {parts[1]})"
    return _CALLED[operation].format(*parts)


def _number(value: float) -> str:
    return f"({value!r})" if value < 0 else repr(float(value))


def _whole(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)
