"""Programs as values, as text, and as code: all three mean the same."""

from __future__ import annotations

import dataclasses
import math
import operator
import time
from struct import pack

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.programs import primitives as p
from engines.programs.code import flatten
from engines.programs.interpreter import STOP, run, value
from engines.programs.primitives import BadPrimitives, Operation, PrimitiveSet
from engines.programs.text import MOST_CHARACTERS, game_of, is_program, parse, write, write_tree
from engines.programs.trees import MOST_DEPTH, Architecture, BadProgram, Node, Program, TreeSlot
from engines.programs.types import Type
from tests.engines.programs.samples import (
    INPUTS,
    TOY,
    TOYS,
    World,
    evaluate,
    grow,
    named,
    random_program,
)

SEEDS = st.integers(0, 2**32)


def one_tree(text: str) -> Program:
    return parse(f"(program toy (tree value {text}) (tree choice True))", TOY)


def interpret(program: Program, tree: int, world: World) -> float:
    """The value of a tree by its code, with the effects of a `World`."""
    code = flatten(program)
    memory = code.new_memory()
    memory[:INPUTS] = world.inputs
    at = run(code.instructions, code.starts[tree], memory)
    while code.instructions[at, 0] != STOP:
        _, to, argument, number, *_ = code.instructions[at]
        memory[to] = world.act(int(number), float(memory[argument]))
        memory[:INPUTS] = world.inputs
        at = run(code.instructions, at + 1, memory)
    return float(memory[code.instructions[at, 2]])


def steps(text: str) -> int:
    """The number of instructions of a tree, including its end."""
    code = flatten(one_tree(text))
    memory = code.new_memory()
    value(code.instructions, code.starts[0], memory)
    return int(memory[-1])


@settings(max_examples=300, deadline=None)
@given(SEEDS)
def test_code_means_what_trees_mean(seed: int) -> None:
    program = random_program(seed)
    for number, tree in enumerate(program.trees):
        slow, fast = World(seed), World(seed)
        wanted, got = evaluate(tree, slow), interpret(program, number, fast)
        assert fast.effects == pytest.approx(slow.effects, rel=1e-12, nan_ok=True)
        assert got == pytest.approx(wanted, rel=1e-9, nan_ok=True)


@given(st.tuples(*[st.floats(width=64)] * 3), st.sampled_from(("Add", "Sub", "Mul")))
def test_chained_steps_are_exact(numbers: tuple[float, float, float], inner: str) -> None:
    """Equal to the last bit, including signs of zeros, with the first step as either operand."""
    functions = {"Add": operator.add, "Sub": operator.sub, "Mul": operator.mul}
    world = World(1)
    world.inputs[:3] = numbers
    a, b, c = numbers
    first = functions[inner](a, b)
    for outer, function in functions.items():
        for text, wanted in {
            f"({outer} ({inner} A Count) Flag)": function(first, c),
            f"({outer} Flag ({inner} A Count))": function(c, first),
            f"({outer} ({inner} A Count) ({inner} A Count))": function(first, first),
        }.items():
            got = interpret(one_tree(text), 0, world)
            same = math.isnan(got) if math.isnan(wanted) else pack("d", got) == pack("d", wanted)
            assert same, text


@settings(max_examples=200, deadline=None)
@given(SEEDS, st.integers(3, 12))
def test_texts_are_read_back(seed: int, depth: int) -> None:
    program = random_program(seed, depth)
    text = write(program)
    assert parse(text, TOY) == program
    assert write(parse(text, TOY)) == text
    assert is_program(text)
    assert game_of(text) == "toy"
    assert program.option("depth") == (4 if seed % 2 else 3)


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.sampled_from([Type.FLOAT, Type.BOOLEAN, Type.QUERY]), st.integers(3, 9))
def test_typed_trees_can_always_be_made(seed: int, slot: Type, depth: int) -> None:
    tree = grow(np.random.default_rng(seed), slot, depth)
    assert tree.primitive.returns.fits(slot)
    assert tree.depth <= depth
    assert tree.size == sum(1 for _ in tree.walk())


def test_trees_are_values() -> None:
    tree = Node(named("Add"), (Node(named("A")), Node(named("Number"), (), (0.5,))))
    same = Node(named("Add"), (Node(named("A")), Node(named("Number"), (), (0.5,))))
    assert tree == same
    assert hash(tree) == hash(same)
    assert tree != Node(named("Add"), tree.arguments, (), 2.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        tree.factor = 2.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("primitive", "arguments", "values", "factor"),
    [
        ("Add", ("A",), (), 1.0),
        ("Add", ("A", "True"), (), 1.0),
        ("If", ("A", "A", "A"), (), 1.0),
        ("A", (), (1.0,), 1.0),
        ("Number", (), (), 1.0),
        ("Number", (), (math.nan,), 1.0),
        ("Square", (), (1.0, 0.0), 1.0),
        ("True", (), (), 2.0),
        ("A", (), (), math.inf),
    ],
)
def test_ill_typed_nodes_cannot_be_made(
    primitive: str, arguments: tuple[str, ...], values: tuple[float, ...], factor: float
) -> None:
    below = tuple(Node(named(name)) for name in arguments)
    with pytest.raises(BadProgram):
        Node(named(primitive), below, values, factor)


def test_query_fits_both_slots() -> None:
    text = "(If Flag Flag (Add Flag (Square 1 3)))"
    with pytest.raises(BadProgram, match="a Float belongs here, but 'Square' is a Boolean"):
        one_tree(text)
    assert one_tree("(If Flag Flag (Add Flag A))").trees[0].size == 6


def test_least_depths() -> None:
    assert TOYS.least_depth(Type.FLOAT) == TOYS.least_depth(Type.QUERY) == 1
    only = PrimitiveSet(
        "only",
        (p.terminal("A", 0), p.function("If", Operation.IF), p.function("Less", Operation.SMALLER)),
    )
    assert only.least_depth(Type.BOOLEAN) == 2
    assert only.depth_of(only.by_name["If"]) == 3
    assert [found.name for found in only.terminals(Type.FLOAT)] == ["A"]
    assert [found.name for found in only.functions(Type.BOOLEAN)] == ["Less"]


@pytest.mark.parametrize(
    ("primitives", "complaint"),
    [
        ((p.terminal("A", 0), p.function("If", Operation.IF)), "If of bad takes a Boolean"),
        ((p.function("Add", Operation.ADD),), "Add of bad takes a Float"),
        ((p.function("And", Operation.AND), p.function("Not", Operation.NOT)), "takes a Boolean"),
        ((p.terminal("A", 0), p.terminal("A", 1)), "two primitives of one name"),
        ((p.terminal("times", 0),), "cannot be the name"),
        ((p.terminal("a b", 0),), "cannot be the name"),
        ((p.ephemeral("A", 0, 1), p.ephemeral("B", 0, 1)), "two kinds of number constants"),
    ],
)
def test_sets_that_cannot_end_are_refused(
    primitives: tuple[p.Primitive, ...], complaint: str
) -> None:
    with pytest.raises(BadPrimitives, match=complaint):
        PrimitiveSet("bad", primitives)


def test_slots_and_inputs_are_proved_too() -> None:
    floats = PrimitiveSet("floats", (p.terminal("A", 3),))
    with pytest.raises(BadPrimitives, match="no tree of floats returns a Boolean"):
        TreeSlot("x", floats, Type.BOOLEAN)
    with pytest.raises(BadPrimitives, match="reads an input beyond"):
        Architecture("toy", (TreeSlot("x", floats),), 3)
    for low, high in ((1.0, 0.0), (0.0, math.inf)):
        with pytest.raises(BadPrimitives):
            p.ephemeral("X", low, high)


def test_introns_cost_nothing() -> None:
    heavy = "(Sin (Cos (Add A (Mul A A))))"
    assert steps(f"(First A {heavy})") == steps("A") == 1
    assert steps(f"(If (NotFirst True (Greater {heavy} A)) A Zero)") == steps(
        "(If (Not True) A Zero)"
    )


def test_only_the_taken_branch_is_run() -> None:
    heavy = "(Sin (Cos (Add A (Mul A A))))"
    assert steps(f"(If True A {heavy})") < 6
    assert steps(f"(IfGreater Zero A {heavy} Zero)") < 6
    assert steps(f"(IfPositive Zero {heavy} Zero)") < 6
    assert steps(f"(If (Or True (Greater {heavy} A)) A Zero)") < 6
    assert steps(f"(If (And (Not True) (Greater {heavy} A)) A Zero)") < 6


def test_the_stack_is_as_large_as_needed() -> None:
    assert flatten(one_tree("(Add A Zero)")).stack == 1
    assert flatten(one_tree("(Add (Neg A) (Neg Zero))")).stack == 2
    right = "A"
    for _ in range(5):
        right = f"(Add (Neg A) {right})"
    assert flatten(one_tree(right)).stack == 5


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line 1, column 1: the text ends"),
        ("(", "the text ends"),
        ("(program", "the text ends where the name of a game belongs"),
        ("(program reversi)", "this program is for 'reversi', not for toy"),
        ("(program toy)", "the tree value is missing"),
        ("(program toy (tree value A))", "the tree choice is missing"),
        ("(program toy\n (tree value\n   (Fly A)))", r"line 3, column 5: there is no 'Fly'"),
        ("(program toy (tree other A))", "no tree 'other'; there are: value, choice"),
        ("(program toy (tree value A) (tree value A))", "twice"),
        ("(program toy (depth 99))", "depth is a whole number from 1 to 8"),
        ("(program toy (depth x))", "depth is a whole number"),
        ("(program toy (depth 3) (depth 3))", "twice"),
        ("(program toy (speed 3))", "no option 'speed'; there are: depth"),
        ("(program toy (tree value (Add A)))", "Add takes 2 arguments, but fewer are given"),
        ("(program toy (tree value (Add A A A)))", "Add takes 2 arguments, but more are given"),
        ("(program toy (tree value True))", "a Float belongs here, but 'True' is a Boolean"),
        ("(program toy (tree choice 1.5))", "a Boolean belongs here, but '1.5' is a Float"),
        ("(program toy (tree value Add))", "Add needs parentheses"),
        ("(program toy (tree value (Number 1)))", "there is no 'Number'"),
        ("(program toy (tree value 1e999))", "not a finite number"),
        ("(program toy (tree value nan))", "there is no 'nan'"),
        ("(program toy (tree value ٣))", "there is no '٣'"),
        (
            "(program toy (tree choice (Square 1 9)))",
            "column 37: Square takes a whole number from 1 to 3 here, not '9'",
        ),
        ("(program toy (tree value (times 2)))", "times takes a number and one expression"),
        ("(program toy (tree value (times 2 A A)))", "times takes a number and one expression"),
        ("(program toy (tree value (times 2 (times 2 A))))", "cannot be nested"),
        ("(program toy (tree choice (times 2 True)))", "only a Float may have times"),
        ("(program toy (tree value ()))", "the name of a function belongs here"),
        ("(program toy (tree value A) (tree choice True)) )", "nothing may follow"),
        ("(program toy (tree value " + "(Neg " * 50, "the tree value is deeper than 12"),
        ("(program toy (tree value A A))", "after the tree belongs here"),
    ],
)
def test_bad_texts_are_explained(text: str, complaint: str) -> None:
    with pytest.raises(BadProgram, match=complaint):
        parse(text, TOY)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 10_000_000,
        "(" * 10_000_000,
        "(program toy " + "(" * 400_000,
        "(program toy (tree value " + "(Add A " * 70_000,
        "(program toy (tree value " + "(times 2 " * 50_000,
        "(program toy (tree value " + "9" * 499_000,
        "(program toy (depth " + "9" * 499_000,
        "(program " + "x" * 499_000,
        "(program toy" + " ;(\n" * 120_000,
        "\x00" * MOST_CHARACTERS,
    ],
    ids=lambda text: text[:40],
)
def test_hostile_texts_are_refused_at_once(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(BadProgram) as refusal:
        parse(text, TOY)
    assert len(str(refusal.value)) < 300
    assert time.perf_counter() - start < 2


def test_too_many_nodes() -> None:
    slot = TreeSlot("value", TOYS)
    small = Architecture("toy", (slot,), INPUTS, most_nodes=20)
    text = "(Add " * 15 + "A" + " A)" * 15
    with pytest.raises(BadProgram, match=r"line 1, column .*too many nodes"):
        parse(f"(program toy (tree value {text}))", small)


def test_the_deepest_tree_is_written_read_and_run() -> None:
    deep = Architecture("toy", (TreeSlot("value", TOYS),), INPUTS)
    text = "(Neg " * (MOST_DEPTH - 1) + "A" + ")" * (MOST_DEPTH - 1)
    program = parse(f"(program toy (tree value {text}))", deep)
    assert write_tree(program.trees[0]) == text
    assert parse(write(program), deep) == program
    world = World(1)
    assert interpret(program, 0, world) == -world.inputs[0]


def test_invalid_programs() -> None:
    assert not is_program("def agent(observation, configuration): ...")
    assert not is_program("(programs toy)")
    assert is_program("; a comment\n\n ( program toy)")
