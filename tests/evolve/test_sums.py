import numpy as np
import pytest
from evolve_samples import ARCHITECTURE, HIGH_CARD, TYPED, high_card, worth

from engines.games import by_name
from engines.programs.text import parse, write
from engines.programs.trees import Architecture, TreeSlot
from evolve import domains
from evolve.breeding import Strategy
from evolve.errors import BadSetting
from evolve.evolution import Evolution
from evolve.fitness import CoPlay
from evolve.growth import Limits
from evolve.streams import stream
from evolve.sums import sum_up, weighted, weights

TYPES = Architecture("sample", (TreeSlot("value", TYPED),), 5)
WIDE = Limits(15, 500)


def test_a_sum_has_a_term_for_all_that_its_terminals_tell() -> None:
    tree = sum_up(TYPES, ["X", "Flag", "At", "Number"], WIDE)
    assert weights(tree).tolist() == [1.0] * 6
    program = weighted(TYPES, tree, np.array([1.0, -2.0, 3.0, 0.5, 0.0, 2.5]), {})
    text = write(program)
    for term in (
        "X",
        "(times -2.0 (IFT Flag 1.0 0.0))",
        "(times 3.0 (At 1))",
        "(times 0.0 (At 3))",
    ):
        assert term in text
    assert "(times 2.5 5.0)" in text
    assert weights(program.trees).tolist() == [1.0, -2.0, 3.0, 0.5, 0.0, 2.5]
    assert parse(text, TYPES) == program


def test_sums_of_a_game_are_programs_of_that_game() -> None:
    architecture = by_name("lose-checkers").programs.architecture
    trees = sum_up(architecture, ["Mobility", "IsFriendlyPiece"], WIDE)
    drawn = stream(1).standard_normal(33)
    program = weighted(architecture, trees, drawn, {"depth": 2})
    assert parse(write(program), architecture) == program
    assert weights(program.trees).tolist() == drawn.tolist()


@pytest.mark.parametrize(
    ("names", "limits", "complaint"),
    [
        ((), WIDE, "one term"),
        (("Plus",), WIDE, "no terminal 'Plus'; there are X, Flag"),
        (("X", "At"), Limits(2, 500), "depth"),
        (("X", "At"), Limits(15, 5), "nodes"),
    ],
)
def test_impossible_sums_are_refused(
    names: tuple[str, ...], limits: Limits, complaint: str
) -> None:
    with pytest.raises(BadSetting, match=complaint):
        Strategy(names).check(TYPES, limits)


def test_no_sum_is_a_truth() -> None:
    with pytest.raises(BadSetting, match="tree choice is a Boolean"):
        sum_up(Architecture("sample", ARCHITECTURE.slots[1:2], 5), ["X"], WIDE)
    with pytest.raises(BadSetting, match="no ADD"):
        sum_up(Architecture("sample", ARCHITECTURE.slots[2:], 5), ["X"], WIDE)


def test_domains_refuse_sums_before_anything_is_run() -> None:
    with pytest.raises(BadSetting, match="no terminal 'Mobilty'"):
        domains.make("lose-checkers", None, {"terms": "Mobilty"})
    for wrong in ({"cooling": 0.0}, {"cooling": 1.1}, {"stride": 0.0}, {"stride": float("nan")}):
        with pytest.raises(BadSetting, match="stride"):
            domains.make("lose-checkers", None, {"terms": "Mobility", **wrong})
    for spread in (0.0, float("inf")):
        with pytest.raises(BadSetting, match="spread"):
            Strategy(("Mobility",), spread)


def test_the_next_generation_scatters_around_a_better_centre() -> None:
    trees = sum_up(HIGH_CARD, ["Number"] * 3, WIDE)
    drawn = stream(1).normal(4, [1, 2, 3], (1000, 3))
    parents = [weighted(HIGH_CARD, trees, row, {}) for row in drawn]
    bred = Strategy(("Number",) * 3, cooling=0.5, stride=2.0).breed(
        lambda place: stream(2, place), parents, drawn[:, 0].tolist(), WIDE
    )
    found = np.array([weights(program.trees) for program in bred])
    # Normal numbers, each times its rank between -1 and 1, have a mean of 1 / sqrt(pi).
    assert found.mean(axis=0) == pytest.approx([4 + 2 / np.sqrt(np.pi), 4, 4], abs=0.4)
    assert found.std(axis=0) == pytest.approx([0.5, 1, 1.5], rel=0.15)


def test_a_strategy_finds_larger_numbers_in_games_of_luck() -> None:
    strategy = Strategy(("Number",) * 4, spread=0.5, cooling=0.97)
    domain = high_card(CoPlay(4), luck=3.0, breeding=strategy, population=40, generations=20)
    states = list(Evolution(domain, 3))
    means = [np.mean([worth(one) for one in state.islands[0].programs]) for state in states]
    assert means[-1] > means[0] + 2
    assert {one.size for one in states[-1].islands[0].programs} == {7}
