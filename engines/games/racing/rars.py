"""A racing program as a robot for the real RARS: one C++ file.

The robot computes AH and AA from the four parts of the road that a situation tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from engines.programs.primitives import Operation as Op
from engines.programs.trees import Node, Program

_LAYOUT = Path(__file__).with_name("rars.txt")


def _calls(pattern: str) -> Callable[..., str]:
    return pattern.format


_FUNCTIONS: dict[Op, Callable[..., str]] = {
    Op.ADD: _calls("({} + {})"),
    Op.SUB: _calls("({} - {})"),
    Op.MUL: _calls("({} * {})"),
    Op.DIV: _calls("divided({}, {})"),
    Op.ABS: _calls("std::fabs({})"),
    Op.NEG: _calls("(-{})"),
    Op.TAN: _calls("std::tan({})"),
    Op.IF_GREATER: _calls("({} > {} ? {} : {})"),
    Op.IF_POSITIVE: _calls("({} > 0 ? {} : {})"),
}


def export(program: Program, name: str) -> str:
    """The source of a robot with that name; raises `ValueError` for an invalid name."""
    if re.fullmatch(r"[A-Z][A-Za-z0-9]{0,31}", name) is None:
        raise ValueError(
            f"{name[:40]!r} is not a name for a robot: use letters and digits, first a capital"
        )
    speed, steering = map(_expression, program.trees)
    source = _LAYOUT.read_text().replace("@NAME@", name)
    return source.replace("@SPEED@", speed).replace("@STEERING@", steering)


def _expression(node: Node) -> str:
    plain = _plain(node)
    return plain if node.factor == 1.0 else f"({_number(node.factor)} * {plain})"


def _plain(node: Node) -> str:
    primitive = node.primitive
    if primitive.operation is Op.INPUT:
        return primitive.name
    if primitive.operation is Op.CONSTANT:
        return _number(primitive.value)
    if primitive.operation is Op.NUMBER:
        return _number(node.values[0])
    return _FUNCTIONS[primitive.operation](*map(_expression, node.arguments))


def _number(value: float) -> str:
    """Python and C++ write doubles alike; a sign after an operator needs parentheses."""
    return f"({value!r})" if value < 0 else repr(float(value))
