from collections import Counter

import pytest
from evolve_samples import ARCHITECTURE, TYPED, within
from hypothesis import given
from hypothesis import strategies as st

from engines.programs.text import parse, write
from engines.programs.trees import Architecture, Program, TreeSlot
from engines.programs.types import Type
from evolve.errors import BadParameter
from evolve.operators.growth import TreeLimits, full, ramped
from evolve.operators.recursive import Rates, cross_continuously, mutate_recursively
from evolve.operators.variation import (
    cross_by_fitness,
    cross_one_way,
    cross_two_way,
    mutate_constant,
    mutate_factor,
    mutate_subtree,
    pick,
    places,
    replace,
)
from evolve.streams import stream

seeds = st.integers(0, 2**32)
ROUGH = Rates(0.2, 0.2, 0.2)


def parents(seed: int, limits: TreeLimits) -> tuple[Program, Program]:
    first = ramped(stream(seed, 0), ARCHITECTURE, limits, seed % 9)
    return first, ramped(stream(seed, 1), ARCHITECTURE, limits, seed % 7)


@given(seeds, st.integers(3, 7), st.integers(20, 120))
def test_all_operators_keep_types_and_limits(seed: int, depth: int, nodes: int) -> None:
    limits = TreeLimits(depth, nodes)
    first, second = parents(seed, limits)
    random = stream(seed, 2)
    for _ in range(5):
        children = [
            *cross_two_way(random, first, second, limits),
            cross_one_way(random, first, second, limits),
            *cross_by_fitness(random, first, second, bool(seed % 2), limits),
            mutate_subtree(random, first, limits, 0.3),
            mutate_factor(random, second),
            mutate_constant(random, second),
            mutate_recursively(random, first, limits, ROUGH),
            cross_continuously(random, first, second, limits),
        ]
        assert all(within(child, depth, nodes) for child in children)
        first, second = children[seed % len(children)], children[0]


@given(seeds)
def test_operators_are_pure(seed: int) -> None:
    limits = TreeLimits(6, 100)
    first, second = parents(seed, limits)
    before = write(first), write(second)

    def children() -> list[Program]:
        random = stream(seed, 5)
        return [
            *cross_two_way(random, first, second, limits),
            cross_one_way(random, first, second, limits),
            mutate_subtree(random, first, limits, 0.5),
            mutate_constant(random, first),
            mutate_recursively(random, first, limits, ROUGH),
            cross_continuously(random, first, second, limits),
        ]

    assert children() == children()
    assert (write(first), write(second)) == before


@given(seeds)
def test_children_read_back_equal(seed: int) -> None:
    limits = TreeLimits(6, 100)
    first, second = parents(seed, limits)
    random = stream(seed, 3)
    child = mutate_factor(random, cross_one_way(random, first, second, limits))
    assert parse(write(child), ARCHITECTURE) == child


@given(seeds)
def test_places_are_those_of_the_walk(seed: int) -> None:
    program = parents(seed, TreeLimits(7, 200))[0]
    for slot, tree in zip(ARCHITECTURE.slots, program.trees, strict=True):
        found = list(places(tree, slot.returns))
        assert [place.node for place in found] == list(tree.walk())
        assert all(place.node.primitive.returns.fits(place.slot) for place in found)
        assert max(place.above for place in found) == tree.depth - 1
        place = found[seed % len(found)]
        assert replace(tree, place.at, place.node) == tree


@given(seeds)
def test_two_way_crossover_only_exchanges(seed: int) -> None:
    first, second = parents(seed, TreeLimits(6, 120))
    one, other = cross_two_way(stream(seed, 4), first, second, TreeLimits(6, 120))
    assert one.size + other.size == first.size + second.size


def test_a_query_slot_receives_other_types_than_its_node() -> None:
    # The slot of the tree `deep` takes both types, independent of its current node.
    limits = TreeLimits(8, 200)
    float_one = parse(
        "(program sample (tree value X) (tree choice Flag) (tree deep X))", ARCHITECTURE
    )
    boolean_one = parse(
        "(program sample (tree value X) (tree choice Flag) (tree deep (LowerEqual X X)))",
        ARCHITECTURE,
    )
    roots = {
        cross_one_way(stream(seed), boolean_one, float_one, limits).trees[2].primitive.name
        for seed in range(60)
    }
    assert roots == {"X", "LowerEqual"}
    # And a Float slot never receives a Boolean.
    for seed in range(60):
        child = cross_one_way(stream(seed), float_one, boolean_one, limits)
        assert child.trees[0].primitive.name == "X"


def test_one_way_crossover_leaves_the_fitter_untouched() -> None:
    limits = TreeLimits(6, 120)
    changed = 0
    for seed in range(50):
        first, second = parents(seed, limits)
        donor, receiver = cross_by_fitness(stream(seed), first, second, True, limits)
        assert donor is first
        changed += receiver != second
    assert changed > 30


def test_points_are_inner_nodes_nine_times_of_ten() -> None:
    tree = full(stream(1), TYPED, Type.FLOAT, 6)
    random = stream(2)
    found = list(places(tree, Type.FLOAT))
    drawn = Counter(bool(pick(random, found).node.arguments) for _ in range(4000))
    assert 0.88 < drawn[True] / 4000 < 0.92


def test_crossover_reaches_every_point() -> None:
    architecture = Architecture("sample", (TreeSlot("value", TYPED),), 5)
    receiver = Program(architecture, (full(stream(9), TYPED, Type.FLOAT, 7),))
    marked = parse("(program sample (tree value (times 7.5 X)))", architecture)
    random = stream(3)
    reached = set()
    for _ in range(60 * receiver.size):
        child = cross_one_way(random, marked, receiver, TreeLimits(7, 500))
        reached.add([node.factor for node in child.trees[0].walk()].index(7.5))
    floats = {p.at for p in places(receiver.trees[0], Type.FLOAT) if p.slot & Type.FLOAT}
    assert reached == floats
    assert receiver.size > 30


def test_local_mutation_changes_one_factor_a_little() -> None:
    first, _ = parents(5, TreeLimits(6, 120))
    child = mutate_factor(stream(1), first)
    pairs = [
        (old.factor, new.factor)
        for before, after in zip(first.trees, child.trees, strict=True)
        for old, new in zip(before.walk(), after.walk(), strict=True)
    ]
    moved = [new for old, new in pairs if old != new]
    assert len(moved) == 1
    assert 0 < abs(moved[0] - 1) < 0.6


def test_constants_move_within_their_range() -> None:
    architecture = Architecture("sample", (TreeSlot("value", TYPED),), 5)
    program = parse(
        "(program sample (tree value (Plus 4.9 At)))".replace("At", "(At 2)"), architecture
    )
    random = stream(1)
    seen = set()
    for _ in range(300):
        program = mutate_constant(random, program)
        number, at = (node.values[0] for node in program.trees[0].arguments)
        assert -5 <= number <= 5
        seen.add(at)
    assert seen == {1.0, 2.0, 3.0}


def test_insertion_deletion_and_modification_by_themselves() -> None:
    limits = TreeLimits(9, 400)
    first, _ = parents(11, TreeLimits(5, 60))
    inserted = mutate_recursively(stream(1), first, limits, Rates(0.5, 0, 0))
    deleted = mutate_recursively(stream(1), first, limits, Rates(0, 0.5, 0))
    modified = mutate_recursively(stream(1), first, limits, Rates(0, 0, 0.9))
    assert inserted.size > first.size > deleted.size
    assert modified != first
    assert [t.size for t in modified.trees] == [t.size for t in first.trees]
    assert mutate_recursively(stream(1), first, limits, Rates(0, 0, 0)) == first
    with pytest.raises(BadParameter):
        Rates(0.5, 0.5, 0.5)


def test_continuous_crossover_of_equal_shapes_takes_every_node_from_either() -> None:
    architecture = Architecture("sample", (TreeSlot("value", TYPED),), 5)
    one = parse("(program sample (tree value (Plus X X)))", architecture)
    two = parse("(program sample (tree value (NullJ 1.0 2.0)))", architecture)
    children = {
        write(cross_continuously(stream(seed), one, two, TreeLimits())) for seed in range(200)
    }
    assert len(children) == 8
