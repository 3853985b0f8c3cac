import numpy as np
import pytest
from evolve_samples import ARCHITECTURE, DEEP, TYPED, within
from hypothesis import given
from hypothesis import strategies as st

from engines.programs.primitives import BadPrimitives, Operation, PrimitiveSet, function, terminal
from engines.programs.trees import Architecture, TreeSlot
from engines.programs.types import Type
from evolve.errors import BadParameter
from evolve.operators.growth import TreeLimits, full, grow, ramped
from evolve.streams import stream

seeds = st.integers(0, 2**32)
slots = st.sampled_from(list(Type))


@given(seeds, slots, st.integers(2, 9))
def test_trees_fit_their_slot_and_depth(seed: int, slot: Type, depth: int) -> None:
    for known in (TYPED, DEEP):
        for method in (grow, full):
            tree = method(stream(seed), known, slot, depth)
            assert tree.primitive.returns.fits(slot)
            assert tree.depth <= depth


@given(seeds, st.integers(2, 7))
def test_full_trees_reach_their_depth_everywhere(seed: int, depth: int) -> None:
    def least(node: object) -> int:
        return 1 + min((least(a) for a in node.arguments), default=0)  # type: ignore[attr-defined]

    tree = full(stream(seed), TYPED, Type.FLOAT, depth)
    assert tree.depth == least(tree) == depth


def test_grown_trees_are_of_all_depths() -> None:
    random = stream(1)
    depths = {grow(random, TYPED, Type.FLOAT, 6).depth for _ in range(300)}
    assert depths == {1, 2, 3, 4, 5, 6}


@given(seeds, st.integers(0, 50), st.integers(3, 8), st.integers(20, 200))
def test_ramped_programs_keep_the_limits(seed: int, place: int, depth: int, nodes: int) -> None:
    program = ramped(stream(seed), ARCHITECTURE, TreeLimits(depth, nodes), place)
    assert within(program, depth, nodes)


def test_a_ramp_has_every_depth_with_both_methods() -> None:
    depths = range(2, 5)
    architecture = Architecture("sample", (TreeSlot("value", TYPED),), 5)
    made = [
        ramped(stream(place), architecture, TreeLimits(9, 900), place, depths) for place in range(6)
    ]
    assert [program.trees[0].depth for program in made[1::2]] == [2, 3, 4]
    assert all(program.trees[0].depth <= 4 for program in made[::2])


def test_the_same_stream_gives_the_same_program() -> None:
    one, other = (ramped(stream(3, 1), ARCHITECTURE, TreeLimits(), 7) for _ in range(2))
    assert one == other
    assert one != ramped(stream(3, 2), ARCHITECTURE, TreeLimits(), 7)


def test_constants_are_drawn_from_their_range() -> None:
    random = np.random.default_rng(1)
    numbers = [
        node.values[0]
        for _ in range(200)
        for node in grow(random, TYPED, Type.FLOAT, 5).walk()
        if node.primitive.name in ("Number", "MultERC")
    ]
    assert min(numbers) < -4
    assert max(numbers) > 4
    assert all(-5 <= number < 5 for number in numbers)


def test_limits_in_which_nothing_fits_are_refused() -> None:
    with pytest.raises(BadParameter, match="depth"):
        TreeLimits(0, 10)
    with pytest.raises(BadParameter, match="nodes"):
        TreeLimits(5, 0)
    with pytest.raises(BadParameter, match="smallest"):
        TreeLimits(5, 2).check(ARCHITECTURE)
    TreeLimits(5, 3).check(ARCHITECTURE)
    with pytest.raises(BadParameter, match="value needs a depth of 2"):
        TreeLimits(1, 9).check(Architecture("sample", (TreeSlot("value", DEEP, Type.BOOLEAN),), 1))


def test_a_set_that_cannot_end_is_refused_when_it_is_made() -> None:
    with pytest.raises(BadPrimitives, match="no finite tree"):
        PrimitiveSet("endless", (terminal("X", 0), function("IFT", Operation.IF)))
