from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from evolve_samples import NUMBERS, HighCard, numbers, resident, worth
from hypothesis import given
from hypothesis import strategies as st

from engines.programs.trees import Node, Program
from evolve.errors import BadParameter
from evolve.fitness.measures import (
    CoPlay,
    Fitness,
    FractionalScore,
    GuideRounds,
    ProgramMeasure,
    RandomTwoWays,
    RoundRobin,
    SingleElimination,
    Sum,
    needs_guides,
    seat_everybody,
)
from evolve.fitness.meetings import TableResult
from evolve.fitness.population import Fixture, Population
from evolve.fitness.ranking import PageRank, page_rank

VALUES = (0.1, 0.9, 0.5, 0.7)


class Recorder(Population):
    """A population that records its fixtures."""

    def meet(self, fixtures: list[Fixture]) -> list[TableResult]:
        self.met = [*getattr(self, "met", []), *fixtures]
        return super().meet(fixtures)


def population_of(
    values: tuple[float, ...], luck: float = 0.0, guides: tuple[str, ...] = ()
) -> Recorder:
    arena = HighCard(luck)
    return Recorder(arena, numbers(*values), [resident(name, arena) for name in guides], 1, (3,))


def measured(fitness: Fitness, population: Population) -> list[float]:
    return [float(value) for value in fitness.measure(population, np.zeros(population.size))]


def test_coplay_gives_everybody_as_many_games_on_both_sides() -> None:
    population = population_of(tuple(np.linspace(0, 1, 9)))
    points = measured(CoPlay(5), population)
    assert set(Counter(f.first for f in population.met).values()) == {5}
    assert set(Counter(f.others for f in population.met).values()) == {5}
    assert all(f.first not in f.others for f in population.met)
    assert all(len({f.others for f in population.met if f.first == one}) == 5 for one in range(9))
    assert sum(points) == len(population.met)
    assert points[0] == 0
    assert points[8] == 10


@given(st.integers(2, 12), st.integers(1, 30))
def test_pairings_are_fair_for_any_number(size: int, games: int) -> None:
    population = population_of(tuple(np.linspace(0, 1, size)))
    for pairs in seat_everybody(population, games):
        assert sorted(a for a, _ in pairs) == sorted(b for _, b in pairs) == list(range(size))
        assert all(a != b for a, b in pairs)


def test_only_fit_individuals_play_guide_rounds() -> None:
    population = population_of(VALUES, guides=("zero",))
    so_far = np.array([0.0, 5.0, 2.0, 5.0])
    points = GuideRounds(rounds=2, games=3, cutoff=3, points=2.0).measure(population, so_far)
    # All beat the guide in a round of three games of two points each. The third is in the first
    # round (2 of 5) and, having kept pace, in the second; the first trails too far in both.
    assert points.tolist() == [0, 12, 12, 12]
    assert {f.first for f in population.met} == {1, 2, 3}
    assert all(f.games == 3 for f in population.met)


def test_a_round_that_is_lost_excludes_from_the_next() -> None:
    population = population_of((0.9, 1.5), guides=("one",))
    points = GuideRounds(rounds=3, games=2, cutoff=1).measure(population, np.zeros(2))
    assert points.tolist() == [0, 6]
    assert Counter(f.first for f in population.met) == {0: 1, 1: 3}


def test_all_have_the_same_luck_against_a_guide() -> None:
    population = population_of(tuple(np.linspace(0, 1, 30)), luck=1.0, guides=("zero", "one"))
    points = measured(GuideRounds(rounds=2, games=20, same_games=True), population)
    assert points == sorted(points)
    assert 0 < points[0] < points[-1] < 80


def test_equal_programs_play_a_guide_once() -> None:
    half, quarter = numbers(0.5, 0.25)
    plus = NUMBERS.by_name["Plus"]
    sum_of_quarters = Program(half.architecture, (Node(plus, quarter.trees * 2),))
    arena = HighCard(1.0)
    programs = [half, quarter, sum_of_quarters, half]
    population = Recorder(arena, programs, [resident("one", arena)], 1, (3,))
    points = measured(GuideRounds(rounds=2, games=10, same_games=True), population)
    assert points[0] == points[2] == points[3] != points[1]
    assert Counter(f.first for f in population.met) == {0: 2, 1: 2}
    assert population.costs.games == 40


def test_by_default_copies_have_luck_of_their_own() -> None:
    population = population_of((0.5,) * 20, luck=1.0, guides=("one",))
    points = measured(GuideRounds(games=20), population)
    assert len(set(points)) > 1
    assert population.costs.games == 400


def test_parts_are_summed_and_see_the_sum_before_them() -> None:
    fitness = RoundRobin(2) + GuideRounds(1, 2, cutoff=0.5) + CoPlay(1)
    assert isinstance(fitness, Sum)
    assert len(fitness.parts) == 3
    assert not needs_guides(fitness)
    assert needs_guides(GuideRounds(1) + FractionalScore(1))
    nobody = measured(FractionalScore(2) + GuideRounds(1) + CoPlay(1), population_of(VALUES))
    assert sum(nobody) == 4
    population = population_of(VALUES, guides=("zero",))
    total = measured(fitness, population)
    robin = [0.0, 1.0, 1 / 3, 2 / 3]
    guide = [0.0, 2.0, 0.0, 2.0]  # only those within 0.5 of the best
    shared = [value - a - b for value, a, b in zip(total, robin, guide, strict=True)]
    assert sum(shared) == pytest.approx(4)


def test_random_two_ways_counts_for_both_and_is_a_mean() -> None:
    population = population_of(VALUES)
    points = measured(RandomTwoWays(peers=2, games=2), population)
    assert Counter(f.first for f in population.met) == dict.fromkeys(range(4), 2)
    assert all(f.first not in f.others for f in population.met)
    assert points[1] == 1
    assert points[0] == 0


def test_single_elimination_from_one_nth_to_one() -> None:
    population = population_of(tuple(np.linspace(0, 1, 8)))
    points = measured(SingleElimination(3), population)
    assert sorted(points) == [1 / 8] * 4 + [1 / 4] * 2 + [1 / 2, 1]
    assert points[7] == 1
    odd = measured(SingleElimination(3), population_of(tuple(np.linspace(0, 1, 5))))
    assert odd[4] == 1
    assert len([value for value in odd if value == 1]) == 1


def test_drawn_pairs_of_an_elimination_are_decided_by_lot() -> None:
    points = [measured(SingleElimination(2), population_of((0.5,) * size)) for size in (2, 4, 8)]
    assert [max(values) for values in points] == [1, 1, 1]
    assert sorted(points[1]) == [1 / 4, 1 / 4, 1 / 2, 1]


def test_fractional_score_with_epsilon() -> None:
    population = population_of((0.0, 5.0), guides=("one", "ten"))
    assert measured(FractionalScore(4, 0.0), population) == [0, 0.5]
    some = measured(FractionalScore(4, 1.0), population)
    assert some[0] == pytest.approx(1 / 5)
    assert some[1] == pytest.approx((1 + 1 / 5) / 2)


def test_page_rank_of_known_graphs() -> None:
    # Two lost to the third, which is unbeaten and so links to both.
    losses = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]])
    assert page_rank(losses) == pytest.approx([1 / 4, 1 / 4, 1 / 2])
    # A circle, in which a walker without pauses would never settle.
    assert page_rank(np.roll(np.eye(4), 1, axis=1)) == pytest.approx([1 / 4] * 4)
    assert page_rank(np.zeros((3, 3))).sum() == pytest.approx(1)


def test_page_rank_ranks_and_penalises() -> None:
    population = population_of(tuple(np.linspace(0, 1, 12)), guides=("zero", "two"))
    free = measured(PageRank(penalty=0.0), population)
    assert max(range(12), key=free.__getitem__) >= 9
    costly = measured(
        PageRank(penalty=0.5), population_of(tuple(np.linspace(0, 1, 12)), 0.0, ("zero",))
    )
    used = population.costs.instructions / population.costs.played
    assert (used > 0).all()
    assert sum(costly) < sum(free)


def test_programs_by_themselves_need_no_games() -> None:
    population = Population(None, numbers(*VALUES), (), 1, (3,))
    assert measured(ProgramMeasure(worth), population) == list(VALUES)
    assert population.costs.games == 0
    with pytest.raises(BadParameter, match="no arena"):
        population.meet([Fixture(0, (1,), 1, (0, 0))])


def test_workers_change_nothing() -> None:
    fitness = CoPlay(4) + GuideRounds(2, 3, 2.0) + RandomTwoWays() + SingleElimination(2)
    arena, programs = HighCard(1.0), numbers(*np.linspace(0, 2, 20))
    guides = [resident("one", arena)]
    alone = Population(arena, programs, guides, 7, (1, 2))
    with ThreadPoolExecutor(3) as pool:
        together = Population(arena, programs, guides, 7, (1, 2), pool)
        assert measured(fitness, together) == measured(fitness, alone)
    assert together.costs.games == alone.costs.games
    assert (together.costs.instructions == alone.costs.instructions).all()
    other = Population(arena, programs, guides, 8, (1, 2))
    assert measured(fitness, other) != measured(fitness, alone)


def test_meetings_add_up() -> None:
    meeting = TableResult(((3.0, 0.0, 2.0), (1.0, 0.0, 4.0)), (10, 20))
    assert (meeting.games, meeting.wins, meeting.draws, meeting.losses) == (3, 1, 1, 1)
    assert meeting.points == 1.5
    assert meeting.share() == 0.5
    assert meeting.share(2.0) == 7 / 12
    assert meeting.seen_by(1) == TableResult((meeting.others, meeting.own), (20, 10))
    assert meeting.joined(meeting).games == 6
    assert TableResult(((0.0,), (0.0,))).share() == 0.5


@pytest.mark.parametrize("chance", [0.05, 0.5, 0.9])
def test_intervals_contain_the_true_share_as_often_as_stated(chance: float) -> None:
    random = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        own = tuple((random.random(200) < chance).astype(float))
        low, high = TableResult((own, tuple(1 - one for one in own))).interval()
        held += low <= chance <= high
    assert 0.91 < held / 400 < 0.99


def test_intervals_of_games_that_do_not_differ() -> None:
    low, high = TableResult(((1.0,) * 100, (0.0,) * 100)).interval()
    assert 0.95 < low < 0.975
    assert high == pytest.approx(1)
    low, high = TableResult(((1.0,), (0.0,))).interval()
    assert low < 0.3


@pytest.mark.parametrize(
    "make",
    [
        lambda: CoPlay(0),
        lambda: GuideRounds(0),
        lambda: GuideRounds(cutoff=-1),
        lambda: GuideRounds(cutoff=float("nan")),
        lambda: FractionalScore(3, -1.0),
        lambda: FractionalScore(0),
        lambda: RandomTwoWays(0),
        lambda: SingleElimination(0),
        lambda: RoundRobin(10**10),
        lambda: PageRank(0),
    ],
)
def test_absurd_fitness_is_refused(make: object) -> None:
    with pytest.raises(BadParameter):
        make()  # type: ignore[operator]
