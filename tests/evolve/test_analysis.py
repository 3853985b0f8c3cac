import xml.etree.ElementTree as ET

import numpy as np
import pytest
from evolve_samples import ARCHITECTURE, HIGH_CARD, high_card, numbers, resident
from hypothesis import given
from hypothesis import strategies as st

from engines.programs import primitives as p
from engines.programs.primitives import Operation, PrimitiveSet
from engines.programs.text import parse
from engines.programs.trees import Architecture, TreeSlot
from evolve.domain import Domain
from evolve.fitness.measures import CoPlay
from evolve.fitness.meetings import TableResult
from evolve.runs import plots
from evolve.runs.analysis import diversity, intron_shares, kendall_taus, rankings, strengths
from evolve.runs.designation import FinalsSetting

rows = st.lists(st.lists(st.integers(-3, 3), min_size=5, max_size=5), min_size=2, max_size=4)


def slow_tau(one: list[int], other: list[int]) -> float:
    """Kendall's tau-b by its definition."""
    pairs = [(a, b) for a in range(len(one)) for b in range(a)]
    signs = [(np.sign(one[a] - one[b]), np.sign(other[a] - other[b])) for a, b in pairs]
    ties = [sum(1 for s in signs if s[k] != 0) for k in (0, 1)]
    if 0 in ties:
        return 1.0 if ties == [0, 0] else 0.0
    return float(sum(x * y for x, y in signs) / np.sqrt(ties[0] * ties[1]))


@given(rows)
def test_taus_agree_with_the_definition(values: list[list[int]]) -> None:
    expected = [
        slow_tau(values[a], values[b])
        for a in range(len(values))
        for b in range(a + 1, len(values))
    ]
    assert kendall_taus(np.array(values, float)) == pytest.approx(expected)


def test_diversity_of_equal_and_of_opposite_programs() -> None:
    architecture = Architecture("sample", (TreeSlot("value", ARCHITECTURE.slots[0].primitives),), 5)

    def value(text: str) -> object:
        return parse(f"(program sample (tree value {text}))", architecture)

    seen = np.random.default_rng(1).uniform(-1, 1, (20, 5))
    up, twice, down = value("X"), value("(Plus X X)"), value("(times -1.0 X)")
    alike = diversity([up, twice], seen)  # type: ignore[list-item]
    assert (alike.mean, alike.alike, alike.spread) == (1, 1, 0)
    mixed = diversity([up, twice, down], seen)  # type: ignore[list-item]
    assert mixed.taus == pytest.approx((1, -1, -1))
    assert mixed.alike == pytest.approx(1 / 3)
    assert rankings([up], seen)[0] == pytest.approx(seen[:, 0])  # type: ignore[list-item]


def test_shares_of_introns() -> None:
    architecture = Architecture("sample", (TreeSlot("value", ARCHITECTURE.slots[0].primitives),), 5)
    text = "(program sample (tree value (Plus (NullJ X (Plus 1.0 2.0)) (Plus 1.0 2.0))))"
    explicit, removable = intron_shares([parse(text, architecture)])
    assert explicit == pytest.approx(3 / 9)
    assert removable == pytest.approx(6 / 9)


class Showing:
    """High card in which programs see their hand: the first input is luck, the second none."""

    game, revision, house = "shown", 1, ("half",)
    architecture = Architecture(
        "shown",
        (
            TreeSlot(
                "value",
                PrimitiveSet(
                    "shown",
                    (
                        p.terminal("Hand", 0),
                        p.terminal("Weather", 1),
                        p.constant("Zero", 0.0),
                        p.function("Plus", Operation.ADD),
                    ),
                ),
            ),
        ),
        2,
    )

    def player(self, program: object) -> object:
        return program

    def house_player(self, name: str) -> float:
        return 0.5

    seats = 2

    def meet(self, players: list[object], seed: int, games: int) -> TableResult:
        value = rankings([players[0]], [[1.0, 0.0]])[0, 0]  # type: ignore[list-item]
        own = (1.0 if value > 0.5 else 0.0,) * games
        return TableResult((own, tuple(1 - one for one in own)))

    def situations(self, random: np.random.Generator, count: int) -> object:
        return random.uniform(0, 1, (count, 2))


def test_terminal_strength_by_itself_and_disabled() -> None:
    arena = Showing()
    domain = Domain("shown", arena.architecture, CoPlay(1), arena)
    champion = parse(
        "(program shown (tree value (Plus Hand (Plus Weather Zero))))", arena.architecture
    )
    opponent = resident("one").__class__("house:half", "half", "house", None, arena, 0.5)
    measured = strengths(FinalsSetting(domain, seed=1), champion, [opponent], 10)
    found = {one.terminal: one for one in measured}
    assert (found["Hand"].single, found["Hand"].disabled) == (1.0, 1.0)
    assert (found["Weather"].single, found["Weather"].disabled) == (0.0, 0.0)


def test_pictures_are_whole() -> None:
    pictures = [
        plots.lines("a < b", {"best": [0.0, 1.0, float("nan"), 2.0], "mean": [0.0, 0.5, 1.0, 1.0]}),
        plots.lines("one", {"best": [1.0]}),
        plots.lines("none", {"best": []}),
        plots.histogram("taus", [-1.0, 0.0, 0.1, 1.0], -1, 1),
        plots.histogram("none", [], -1, 1),
        plots.bars("strength", {"A & B": 0.5, "C": -0.2}),
        plots.bars("none", {}),
    ]
    for picture in pictures:
        root = ET.fromstring(picture)
        assert root.tag.endswith("svg")
        assert "nan" not in picture
    assert pictures[0].count("<polyline") == 2
    assert high_card(CoPlay(1)).architecture is HIGH_CARD
    assert len(numbers(1.0)) == 1
