from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from evolve_samples import ARCHITECTURE, HIGH_CARD, TYPED

from engines.games import find_game
from engines.programs.text import parse, write
from engines.programs.trees import Architecture, Node, Program, TreeSlot
from evolve import domains
from evolve.errors import BadParameter
from evolve.operators.breeding import EvolutionStrategy, FirstGeneration
from evolve.operators.growth import TreeLimits
from evolve.operators.sums import names_of, sum_up, terms_of, weighted, weights
from evolve.runs.evolution import Evolution
from evolve.streams import stream

TYPES = Architecture("sample", (TreeSlot("value", TYPED),), 5)
WIDE = TreeLimits(15, 1000)
NUMBERS = ("Number",) * 3


def summed(architecture: Architecture, *names: str, grown: int = 0) -> tuple[Node, ...]:
    return sum_up(stream(1), architecture, WIDE, names, grown)


def test_a_sum_has_a_term_for_every_value_of_its_terminals() -> None:
    trees = summed(TYPES, "X", "Flag", "At", "Number")
    assert weights(trees).tolist() == [1.0] * 6
    given = np.array([1.5, -2.0, 3.0, 0.5, 0.0, 2.5])
    program = weighted(TYPES, trees, given, {})
    assert weights(program.trees).tolist() == given.tolist()
    text = write(program)
    assert parse(text, TYPES) == program
    for term in ("5.0", "(IFT Flag 1.0 0.0)", "X", "(At 1)", "(At 2)", "(At 3)"):
        assert any(f"(times {weight} {term})" in text for weight in given)


def test_sums_of_a_game_are_programs_of_that_game() -> None:
    architecture = find_game("lose-checkers").programs.architecture
    trees = summed(architecture, "Mobility", "IsFriendlyPiece")
    drawn = stream(1).standard_normal(33)
    program = weighted(architecture, trees, drawn, {"depth": 2})
    assert parse(write(program), architecture) == program
    assert weights(program.trees).tolist() == drawn.tolist()


def test_each_tree_has_the_terms_that_it_knows() -> None:
    architecture = find_game("backgammon").programs.architecture
    contact, race = summed(architecture, "Player-Pip", "Enemy-Exposed", "Player-Position")
    assert names_of((contact,)) != names_of((race,))
    assert sorted(names_of((contact,))) == sorted(
        ["Player-Pip", *(f"Enemy-Exposed {place}" for place in range(26))]
    )
    assert set(names_of((race,))) == {f"Player-Position {place}" for place in range(26)}
    assert "Flag" in names_of(summed(TYPES, "X", "Flag"))
    with pytest.raises(BadParameter, match="unknown terminal 'Nothing'"):
        summed(architecture, "Player-Pip", "Player-Position", "Nothing")


def test_only_chosen_weights_are_bred() -> None:
    names = ("X", "Flag", "At")
    start = {"X": 0.5, "At 2": -0.25}
    strategy = EvolutionStrategy(names, start=start, bred=("At",), first_spread=0.1)
    wanted = FirstGeneration(TYPES, WIDE, 6, range(1, 3), {})
    programs = strategy.create(lambda place: stream(1, place), stream(2), wanted)
    for _ in range(3):
        fitness = [float(place) for place in range(len(programs))]
        programs = strategy.breed(lambda place: stream(3, place), programs, fitness, WIDE)
        found = [dict(zip(names_of(p.trees), weights(p.trees), strict=True)) for p in programs]
        assert {one["X"] for one in found} == {0.5}
        assert {one["Flag"] for one in found} == {0.0}
        assert len({one["At 2"] for one in found}) == len(found)
    with pytest.raises(BadParameter, match="must be among the terms"):
        EvolutionStrategy(names, bred=("Number",)).check(TYPES, WIDE)
    with pytest.raises(BadParameter, match="first_spread"):
        EvolutionStrategy(names, first_spread=0.0)


def test_grown_terms_are_small_different_and_not_constant() -> None:
    architecture = find_game("lose-checkers").programs.architecture
    (grown,) = summed(architecture, grown=40)
    assert len({replace(term, factor=1.0) for term in terms_of(grown)}) == 40
    assert {term.primitive.name for term in terms_of(grown)} == {"IFT"}
    assert max(term.size for term in terms_of(grown)) <= 12
    (tree,) = summed(architecture, "Mobility", "IsFriendlyPiece", grown=40)
    assert len(weights((tree,))) == 40 + 33
    # The deepest are added last: 40 terms of depth 4 and 33 of at most 2 need 10 levels.
    assert tree.depth <= 10
    assert summed(architecture, grown=40) == summed(architecture, grown=40)
    program = weighted(architecture, (tree,), weights((tree,)), {})
    assert parse(write(program), architecture) == program


def test_a_set_without_terms_to_grow_is_refused() -> None:
    with pytest.raises(BadParameter, match="numbers has fewer than 1 different"):
        summed(HIGH_CARD, grown=1)


@pytest.mark.parametrize(
    ("names", "limits", "complaint"),
    [
        ((), WIDE, "at least one term"),
        (("Plus",), WIDE, "unknown terminal 'Plus'; known are X, Flag"),
        (("X", "At"), TreeLimits(2, 1000), "depth"),
        (("X", "At"), TreeLimits(15, 5), "nodes"),
    ],
)
def test_impossible_sums_are_refused(
    names: tuple[str, ...], limits: TreeLimits, complaint: str
) -> None:
    with pytest.raises(BadParameter, match=complaint):
        EvolutionStrategy(names).check(TYPES, limits)


def test_a_sum_is_not_a_boolean() -> None:
    with pytest.raises(BadParameter, match="tree choice must be a Boolean"):
        summed(Architecture("sample", ARCHITECTURE.slots[1:2], 5), "X")
    with pytest.raises(BadParameter, match="no function ADD"):
        summed(Architecture("sample", ARCHITECTURE.slots[2:], 5), "X")


def test_domains_refuse_sums_before_anything_is_run() -> None:
    with pytest.raises(BadParameter, match="unknown terminal 'Mobilty'"):
        domains.make("lose-checkers", None, {"terms": "Mobilty"})
    for wrong, complaint in (
        ({"cooling": 0.0}, "cooling must be above 0"),
        ({"cooling": 1.1}, "cooling must be above 0 and at most 1"),
        ({"stride": 0.0}, "stride"),
        ({"stride": float("nan")}, "stride"),
        ({"grown": -1}, "grown must be at least 0"),
        ({"grown": 10**9}, "the limit is 4000"),
    ):
        with pytest.raises(BadParameter, match=complaint):
            domains.make("lose-checkers", None, {"terms": "Mobility", **wrong})
    for spread in (0.0, float("inf")):
        with pytest.raises(BadParameter, match="spread"):
            EvolutionStrategy(("Mobility",), spread=spread)


def test_the_next_generation_scatters_around_a_better_centre() -> None:
    found = bred(
        EvolutionStrategy(NUMBERS, spread=9.0, cooling=0.5, stride=2.0), lambda one: one[0]
    )
    # Normal numbers, each times its rank between -1 and 1, have a mean of 1 / sqrt(pi).
    assert found.mean(axis=0) == pytest.approx([4 + 4 / np.sqrt(np.pi), 4, 4], abs=0.4)
    assert found.std(axis=0) == pytest.approx([1, 1, 1], rel=0.15)
    # Two by two on opposite sides of the centre.
    between = (found[::2] + found[1::2]) / 2
    assert np.ptp(between, axis=0) == pytest.approx([0, 0, 0])
    assert np.ptp(found[::2], axis=0).min() > 2


def test_the_centre_stays_when_all_are_equally_fit() -> None:
    found = bred(EvolutionStrategy(NUMBERS, spread=9.0), lambda one: 1.0)
    drawn = bred(EvolutionStrategy(NUMBERS, spread=9.0, stride=1e-9), lambda one: one[0])
    assert found == pytest.approx(drawn)


def test_weights_keep_their_size_while_their_proportions_change() -> None:
    strategy = EvolutionStrategy(NUMBERS, spread=2.0, cooling=0.5, stride=2.0)
    centre = bred(strategy, lambda one: one[0]).mean(axis=0)
    assert np.sqrt((centre**2).mean()) == pytest.approx(2)
    wide = bred(replace(strategy, spread=9.0), lambda one: one[0]).mean(axis=0)
    assert centre / centre[0] == pytest.approx(wide / wide[0])


def bred(strategy: EvolutionStrategy, fitness: Callable[[Any], float]) -> Any:
    """The weights of a generation after one that scatters around 4, by 2."""
    trees = summed(HIGH_CARD, *NUMBERS)
    drawn = stream(1).normal(4, 2, (1000, 3))
    parents = [weighted(HIGH_CARD, trees, row, {}) for row in drawn]
    children = strategy.breed(
        lambda place: stream(2, place), parents, [fitness(row) for row in drawn], WIDE
    )
    return np.array([weights(program.trees) for program in children])


def test_islands_share_their_terms() -> None:
    domain = domains.make(
        "lose-checkers",
        "quick",
        {"terms": "Mobility", "grown": 5, "islands": 2, "population": 4, "generations": 3},
    )
    domain = replace(domain, options={"depth": 1})
    states = list(Evolution(domain, 1))
    everybody = [one for state in states for island in state.islands for one in island.programs]
    assert len({len(weights(one.trees)) for one in everybody}) == 1
    assert len({write(one) for one in everybody}) > 16
    other = next(iter(Evolution(domain, 2))).best.program
    assert weighted(*_unweighted(other)) != weighted(*_unweighted(everybody[0]))


def _unweighted(program: Program) -> tuple[Any, ...]:
    ones = np.ones(len(weights(program.trees)))
    return program.architecture, program.trees, ones, program.options


def test_the_size_check_of_sums_does_not_depend_on_chance() -> None:
    # Mobility, 20 trees of 12 nodes, and 20 nodes that add them.
    settings = {"terms": "Mobility", "grown": 20, "nodes": 261}
    domains.make("lose-checkers", "quick", settings)
    with pytest.raises(BadParameter, match="up to 261 nodes, and the limit is 260"):
        domains.make("lose-checkers", "quick", {**settings, "nodes": 260})
