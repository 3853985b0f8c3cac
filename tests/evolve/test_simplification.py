import math
from typing import Any

import numpy as np
import pytest
from evolve_samples import ARCHITECTURE, TYPED
from hypothesis import given
from hypothesis import strategies as st

from engines.games.tanks.program import architecture as tank_architecture
from engines.programs import primitives as p
from engines.programs.code import flatten
from engines.programs.interpreter import STOP, run
from engines.programs.primitives import Operation as Op
from engines.programs.primitives import PrimitiveSet
from engines.programs.text import parse, write_tree
from engines.programs.trees import Architecture, Program, TreeSlot
from engines.programs.types import Type
from evolve.errors import BadParameter
from evolve.export import export, to_python
from evolve.operators.growth import TreeLimits, ramped
from evolve.operators.recursive import Rates, mutate_recursively
from evolve.operators.simplification import simplify
from evolve.operators.variation import mutate_factor
from evolve.streams import stream

EVERYTHING = PrimitiveSet(
    "everything",
    (
        p.terminal("A", 0),
        p.terminal("B", 1),
        p.terminal("Flag", 2, Type.QUERY),
        p.located("Square", 3, [(1, 2)]),
        p.constant("Zero", 0.0),
        p.constant("One", 1.0),
        p.constant("True", 1.0, Type.BOOLEAN),
        p.constant("False", 0.0, Type.BOOLEAN),
        p.ephemeral("Number", -2, 2),
        p.effect("Draw", 0),
        p.effect("Echo", 1, (Type.FLOAT,)),
        p.scale("MultERC", -5, 5),
        *(
            p.function(f"F{op.name.title().replace('_', '')}", op)
            for op in p.SIGNATURES
            if op is not Op.SCALE
        ),
    ),
)
ALL = Architecture(
    "all",
    (TreeSlot("value", EVERYTHING, Type.QUERY), TreeSlot("choice", EVERYTHING, Type.BOOLEAN)),
    5,
)


def results(program: Program, inputs: list[float]) -> list[Any]:
    """The values of the trees, and all effects in their order."""
    code = flatten(program)
    memory = code.new_memory()
    memory[: len(inputs)] = inputs
    seen: list[Any] = []
    for start in code.starts:
        at = run(code.instructions, start, memory)
        while code.instructions[at, 0] != STOP:
            _, to, argument, number, *_ = (int(part) for part in code.instructions[at])
            seen.append((number, float(memory[argument]) if number else None))
            memory[to] = len(seen) * 0.5 if number == 0 else memory[argument] - 1
            at = run(code.instructions, at + 1, memory)
        seen.append(float(memory[code.instructions[at, 2]]))
    return seen


def same(one: list[Any], other: list[Any]) -> bool:
    """Whether all are equal; NaN equals NaN, and 0 equals -0."""

    def equal(a: Any, b: Any) -> bool:
        if isinstance(a, tuple):
            return a[0] == b[0] and equal(a[1], b[1])
        return a == b or (isinstance(a, float) and math.isnan(a) and math.isnan(b))

    return len(one) == len(other) and all(map(equal, one, other))


inputs = st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]), min_size=5, max_size=5)


def varied(seed: int) -> Program:
    random = stream(seed)
    program = ramped(random, ALL, TreeLimits(8, 300), seed, range(2, 8))
    for _ in range(seed % 4):
        program = mutate_factor(random, program)
    return mutate_recursively(random, program, TreeLimits(9, 300), Rates(0.1, 0.1, 0.1))


@given(st.integers(0, 10**9), inputs)
def test_simplified_programs_do_the_same(seed: int, values: list[float]) -> None:
    program = varied(seed)
    shorter = simplify(program)
    assert shorter.size <= program.size
    assert same(results(shorter, values), results(program, values))
    assert simplify(shorter) == shorter


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(Plus 1.5 2.0)", "3.5"),
        ("(NullJ X (Plus X X))", "X"),
        ("(times 2.0 (NullJ X X))", "(times 2.0 X)"),
        ("(IFT (LowerEqual 1.0 2.0) X 3.0)", "X"),
        ("(IFT Flag X X)", "X"),
        (
            "(IFT (AND Flag (LowerEqual 2.0 1.0)) X 3.0)",
            "(IFT (AND Flag (LowerEqual 2.0 1.0)) X 3.0)",
        ),
        ("(MultERC 2.0 1.5)", "3.0"),
        ("(Plus X 0.0)", "X"),
        ("(times 2.0 3.0)", "6.0"),
    ],
)
def test_rules(text: str, expected: str) -> None:
    architecture = Architecture("sample", (TreeSlot("value", TYPED),), 5)
    program = parse(f"(program sample (tree value {text}))", architecture)
    assert write_tree(simplify(program).trees[0]) == expected


def test_a_shot_is_never_simplified_away() -> None:
    text = """(program tanks (tree ahead (Mul (Fire 1.0) Zero))
      (tree turn (IfPositive (Fire 3.0) X X)) (tree gun (Sub Random Random)))"""
    program = parse(text, tank_architecture("tanks"))
    assert simplify(program) == program


@given(st.integers(0, 10**9), inputs)
def test_python_and_the_interpreter_compute_the_same(seed: int, values: list[float]) -> None:
    program = varied(seed)
    names: dict[str, Any] = {}
    exec(to_python(program), names)
    seen: list[Any] = []
    shown = {"A": 0, "B": 1, "Flag": 2}

    def see(name: str, *constants: float) -> float:
        return values[shown[name] if not constants else 2 + int(constants[0])]

    def do(name: str, *arguments: float) -> float:
        seen.append((len(arguments), arguments[0] if arguments else None))
        return len(seen) * 0.5 if not arguments else arguments[0] - 1

    for slot in ALL.slots:
        # Evaluated before it is appended: effects come first.
        result = names[slot.name](see, do)
        seen.append(float(result))
    expected = results(program, values)
    if not any(isinstance(one, float) and math.isnan(one) for one in expected):
        assert same(seen, expected)


def test_impossible_exports_are_refused() -> None:
    program = ramped(stream(1), ARCHITECTURE, TreeLimits(), 1)
    assert export(program, "lisp").startswith("(program sample")
    with pytest.raises(BadParameter, match="'java': programs of sample can be"):
        export(program, "java")
    with pytest.raises(BadParameter, match="unknown form 'cobol'"):
        export(program, "cobol")
    tank = ramped(stream(1), tank_architecture("tanks"), TreeLimits(), 1)
    assert "class Evolved extends robocode.AdvancedRobot" in export(tank, "java", "Evolved")
    with pytest.raises(BadParameter, match="name"):
        export(tank, "java", "not a name")
    assert np.isfinite(tank.size)
