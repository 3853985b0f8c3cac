from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.errors import BadParameter
from evolve.operators import vectors
from evolve.operators.selection import elites, proportionate, tournament
from evolve.streams import number, stream

values = st.lists(st.floats(0, 100), min_size=2, max_size=30)


@given(values, st.integers(1, 40), st.integers(0, 2**32))
def test_a_tournament_of_all_takes_the_best(fitness: list[float], size: int, seed: int) -> None:
    place = tournament(stream(seed), fitness, size)
    if size >= len(fitness):
        assert fitness[place] == max(fitness)
    elif size >= 2 and fitness.count(min(fitness)) == 1:
        assert fitness[place] > min(fitness)


def test_tournaments_of_two_never_take_the_single_worst() -> None:
    random = stream(1)
    drawn = Counter(tournament(random, [3.0, 1.0, 2.0], 2) for _ in range(600))
    assert drawn[1] == 0
    assert 0.6 < drawn[0] / 600 < 0.73


def test_proportionate_selection_is_in_proportion() -> None:
    random = stream(1)
    drawn = Counter(proportionate(random, [1.0, 0.0, 3.0]) for _ in range(4000))
    assert drawn[1] == 0
    assert 0.22 < drawn[0] / 4000 < 0.28
    assert {proportionate(random, [0.0, 0.0]) for _ in range(50)} == {0, 1}
    with pytest.raises(BadParameter):
        proportionate(random, [-1.0, 2.0])


@given(values)
def test_elites_are_the_best_in_order(fitness: list[float]) -> None:
    chosen = elites(fitness, 3)
    assert [fitness[place] for place in chosen] == sorted(fitness, reverse=True)[:3]


@given(st.integers(0, 2**64), st.lists(st.integers(0, 2**31), max_size=5))
def test_streams_depend_on_their_key_alone(seed: int, key: list[int]) -> None:
    assert number(seed, *key) == number(seed, *key)
    assert 0 <= number(seed, *key) < 2**63
    assert number(seed, *key) != number(seed, *key, 0)
    assert stream(seed, *key).random() == stream(seed, *key).random()


def test_winners_stay_and_losers_become_their_mutants() -> None:
    first, second, spread = np.zeros(4), np.full(4, 9.0), np.array([0.0, 1.0, 2.0, 4.0])
    kept, mutant = vectors.settle(stream(1), first, second, 2.0, spread)
    assert (kept == first).all()
    assert (abs(mutant) <= spread).all()
    assert mutant[3] != 0
    lost, winner = vectors.settle(stream(1), first, second, 0.5, spread)
    assert (abs(winner - 9) <= 0.1 * spread).all()
    assert (abs(lost - 9) <= 0.5 * spread).all()
    one, other = vectors.settle(stream(1), first, second, 1.0, spread)
    assert (abs(one) <= 0.25 * spread).all()
    assert (abs(other - 9) <= 0.25 * spread).all()


def test_vectors_move_to_the_winners_and_their_spread_shrinks() -> None:
    goal = np.array([3.0, -2.0, 1.0])

    def match(one: np.ndarray, other: np.ndarray) -> float:
        mine, theirs = (float(((v - goal) ** 2).sum()) for v in (one, other))
        return 2.0 if mine < theirs else 0.0 if mine > theirs else 1.0

    random = stream(4)
    population = vectors.create(random, 40, -10, 10, 3)
    start = population.std(axis=0)
    for _ in range(120):
        population = vectors.advance(random, population, match)
    assert (abs(population.mean(axis=0) - goal) < 0.5).all()
    assert (population.std(axis=0) < 0.05 * start).all()


def test_vectors_cross_at_one_point() -> None:
    one, other = vectors.cross(stream(2), np.zeros(6), np.ones(6))
    assert (one + other == 1).all()
    assert (np.diff(one) >= 0).all()
