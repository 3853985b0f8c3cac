"""Unbeatable mixtures, and cycles, on tables that are solved by hand or by brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.scoring.equilibria import Cycle, Table, count_cycles, cycles, nash_average


def table(payoffs: list[list[float]]) -> Table:
    """Shares of the points: the payoffs plus one half."""
    return np.asarray(payoffs, dtype=np.float64) + 0.5


ROCK_PAPER_SCISSORS = [[0, -0.5, 0.5], [0.5, 0, -0.5], [-0.5, 0.5, 0]]


def test_solved_by_hand() -> None:
    def weights(payoffs: list[list[float]]) -> list[float]:
        return [round(float(w), 4) for w in nash_average(table(payoffs))]

    assert weights(ROCK_PAPER_SCISSORS) == [0.3333, 0.3333, 0.3333]
    # a beats b by 1, b beats c by 2, c beats a by 3: each gets the edge between the others
    assert weights([[0, 0.1, -0.3], [-0.1, 0, 0.2], [0.3, -0.2, 0]]) == [0.3333, 0.5, 0.1667]
    # a chain: the best alone
    assert weights([[0, 0.1, 0.2], [-0.1, 0, 0.1], [-0.2, -0.1, 0]]) == [1.0, 0.0, 0.0]
    # a bot that all three of a cycle beat has no weight
    dominated = [[*row, 0.2] for row in ROCK_PAPER_SCISSORS] + [[-0.2, -0.2, -0.2, 0]]
    assert weights(dominated) == [0.3333, 0.3333, 0.3333, 0.0]
    # two rocks share the weight of one, which gives the most entropy
    twins = [[0, 0, -0.5, 0.5], [0, 0, -0.5, 0.5], [0.5, 0.5, 0, -0.5], [-0.5, -0.5, 0.5, 0]]
    assert weights(twins) == [0.1667, 0.1667, 0.3333, 0.3333]
    # all are equal
    assert weights([[0.0] * 4] * 4) == [0.25] * 4
    assert weights([[0.0]]) == [1.0]
    assert len(nash_average(np.zeros((0, 0)))) == 0


def test_against_an_extreme_favourite() -> None:
    """It loses narrowly to one bot, which loses clearly to a third; these three beat all others."""
    rng = np.random.default_rng(5)
    payoffs = np.triu(rng.uniform(0.3, 0.5, (30, 30)), 1)
    payoffs[0, 1], payoffs[1, 2] = -1e-3, -0.4
    payoffs -= payoffs.T
    weights = nash_average(payoffs + 0.5)
    assert (payoffs @ weights).max() < 1e-5
    assert set(np.flatnonzero(weights)) == {0, 1, 2}
    edges = np.array([payoffs[2, 1], payoffs[0, 2], payoffs[1, 0]])
    assert weights[:3] == pytest.approx(edges / edges.sum(), abs=1e-3)


@st.composite
def payoffs(draw: st.DrawFn) -> Table:
    count = draw(st.integers(2, 6))
    upper = np.zeros((count, count))
    for i, j in combinations(range(count), 2):
        upper[i, j] = draw(st.integers(-4, 4)) / 8
    return upper - upper.T


@settings(max_examples=40, deadline=None)
@given(payoffs(), st.randoms(use_true_random=False))
def test_nobody_beats_it_and_no_equilibrium_has_more_entropy(payoff: Table, rng: object) -> None:
    weights = nash_average(payoff + 0.5)
    assert weights.sum() == pytest.approx(1)
    assert (weights >= 0).all()
    assert (payoff @ weights).max() < 1e-3
    for other in vertices(payoff):
        assert entropy(weights) > entropy(other) - 0.02
    order = list(range(len(payoff)))
    rng.shuffle(order)  # type: ignore[attr-defined]
    assert nash_average(payoff[np.ix_(order, order)] + 0.5) == pytest.approx(
        weights[order], abs=1e-3
    )


def entropy(weights: Table) -> float:
    held = weights[weights > 0]
    return float(-(held * np.log(held)).sum())


def vertices(payoff: Table) -> list[Table]:
    """Equilibria by trying every support: the mixtures under which its members are even."""
    found = []
    count = len(payoff)
    for size in range(1, count + 1):
        for support in map(list, combinations(range(count), size)):
            rows = np.vstack([payoff[np.ix_(support, support)], np.ones(size)])
            target = np.append(np.zeros(size), 1.0)
            part, *_ = np.linalg.lstsq(rows, target, rcond=None)
            weights = np.zeros(count)
            weights[support] = part
            even = np.allclose(rows @ part, target, atol=1e-9)
            if even and (part > -1e-9).all() and (payoff @ weights).max() < 1e-9:
                found.append(np.clip(weights, 0, None))
    assert found, "every such game has an equilibrium"
    return found


def test_cycles_are_listed_once_and_the_clearest_first() -> None:
    shares = table(
        [
            [0.0, 0.3, -0.2, 0.1],
            [-0.3, 0.0, 0.25, -0.1],
            [0.2, -0.25, 0.0, 0.4],
            [-0.1, 0.1, -0.4, 0.0],
        ]
    )
    met = ~np.eye(4, dtype=bool)
    assert cycles(shares, met, 9) == [
        Cycle(0, 1, 2, pytest.approx(0.7)),
        Cycle(1, 2, 3, pytest.approx(0.6)),
    ]
    assert cycles(shares, met, 1) == [Cycle(0, 1, 2, pytest.approx(0.7))]
    assert count_cycles(shares, met) == (2, 4)
    met[0, 1] = met[1, 0] = False
    assert [cycle[:3] for cycle in cycles(shares, met, 9)] == [(1, 2, 3)]
    assert count_cycles(shares, met) == (1, 2)
    assert cycles(np.zeros((0, 0)), np.zeros((0, 0), bool), 9) == []
    assert cycles(table([[0, 0.1, 0.2], [-0.1, 0, 0.1], [-0.2, -0.1, 0]]), met[:3, :3], 9) == []
