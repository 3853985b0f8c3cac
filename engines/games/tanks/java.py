"""A tank program as a HaikuBot: a Java class for the real Robocode, of four semicolons.

The size of HaikuBots is their number of semicolons, except those of `package` and `import` lines,
and they have no `for` loops. So every tree becomes one expression. An argument that is needed twice
(for a test and for its value) becomes the parameter of a lambda, which needs no statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from engines.programs.primitives import Operation as Op
from engines.programs.trees import Node, Program

MOST_SEMICOLONS = 4

_UNARY = "((java.util.function.DoubleUnaryOperator) "
_BINARY = "((java.util.function.DoubleBinaryOperator) "

_WORDS = {
    "Energy": "getEnergy()",
    "Heading": "getHeadingRadians()",
    "X": "getX()",
    "Y": "getY()",
    "MaxX": "getBattleFieldWidth()",
    "MaxY": "getBattleFieldHeight()",
    "EnemyBearing": "e.getBearingRadians()",
    "EnemyDistance": "e.getDistance()",
    "EnemyVelocity": "e.getVelocity()",
    "EnemyHeading": "robocode.util.Utils.normalRelativeAngle("
    "e.getHeadingRadians() - getHeadingRadians())",
    "EnemyEnergy": "e.getEnergy()",
    "Random": "(Math.random() * 2 - 1)",
}
"""Terminals that call the engine."""


def _calls(pattern: str) -> Callable[..., str]:
    return pattern.format


_FUNCTIONS: dict[Op, Callable[..., str]] = {
    Op.ADD: _calls("({} + {})"),
    Op.SUB: _calls("({} - {})"),
    Op.MUL: _calls("({} * {})"),
    Op.DIV: _calls(_BINARY + "(x, y) -> y == 0 ? 0 : x / y).applyAsDouble({}, {})"),
    Op.ABS: _calls("Math.abs({})"),
    Op.NEG: _calls("(-{})"),
    Op.SIN: _calls("Math.sin({})"),
    Op.COS: _calls("Math.cos({})"),
    Op.ASIN: _calls("Math.asin(Math.max(-1.0, Math.min(1.0, {})))"),
    Op.ACOS: _calls("Math.acos(Math.max(-1.0, Math.min(1.0, {})))"),
    Op.IF_GREATER: _calls("({} > {} ? {} : {})"),
    Op.IF_POSITIVE: _calls("({} > 0 ? {} : {})"),
    Op.EFFECT: _calls(
        _UNARY + "p -> p > 0 ? setFireBullet(p) == null ? 1 : 1 : 0).applyAsDouble({})"
    ),
}

_LAYOUT = """\
public class {name} extends robocode.AdvancedRobot {{
    public void run() {{
        while (true) {{
            turnGunRight(Double.POSITIVE_INFINITY);
        }}
    }}

    public void onScannedRobot(robocode.ScannedRobotEvent e) {{
        setAhead({});
        setTurnRightRadians({});
        setTurnGunRightRadians({});
    }}
}}
"""


def export(program: Program, name: str, package: str = "") -> str:
    """The source of a robot with that name; raises `ValueError` for an invalid Java name."""
    for word in (name, *(package.split(".") if package else ())):
        if re.fullmatch(r"[A-Za-z][A-Za-z0-9]{0,31}", word) is None:
            raise ValueError(f"{word[:40]!r} is not a valid name in Java")
    source = _LAYOUT.format(*map(_expression, program.trees), name=name)
    assert source.count(";") == MOST_SEMICOLONS
    return f"package {package};\n\n{source}" if package else source


def _expression(node: Node) -> str:
    plain = _plain(node)
    return plain if node.factor == 1.0 else f"({_number(node.factor)} * {plain})"


def _plain(node: Node) -> str:
    primitive = node.primitive
    if primitive.name in _WORDS:
        return _WORDS[primitive.name]
    if primitive.operation is Op.CONSTANT:
        return _number(primitive.value)
    if primitive.operation is Op.NUMBER:
        return _number(node.values[0])
    return _FUNCTIONS[primitive.operation](*map(_expression, node.arguments))


def _number(value: float) -> str:
    """Python and Java write doubles alike; a sign after an operator needs parentheses."""
    return f"({value!r})" if value < 0 else repr(float(value))
