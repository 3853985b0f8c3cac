"""Cycles in a table of pairwise scores, and the mixture of bots that no bot beats.

Pure functions over a square array `shares`: `shares[i, j]` is the share of the points that `i`
takes from `j`, with `shares[i, j] + shares[j, i] = 1` and one half on the diagonal.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Table: TypeAlias = NDArray[np.float64]

_SHARPEST = 1e-6
"""How sharply the last answers are chosen; the weights are exact to about this."""
_STEPS = 40


class Cycle(NamedTuple):
    """`first` beats `second`, `second` beats `third`, `third` beats `first`."""

    first: int
    second: int
    third: int
    strength: float
    """The least of the three shares: all three wins are at least as clear."""


def nash_average(shares: Table) -> Table:
    """The weights of the mixture from which no bot takes more than half of the points.

    It is the equilibrium of the game in which both sides choose a bot and let them play. Where
    there are many, it is the one of the largest entropy (Balduzzi and others, Re-evaluating
    Evaluation, 2018): copies of a bot share its weight, and bots that make no difference get equal
    weights.

    It is found as the limit of soft answers: each bot is chosen by the exponential of the share it
    takes from the mixture. Such a mixture is unique, has at least the entropy of every
    equilibrium, and gets to one as the answers become sharp.
    """
    payoff = np.asarray(shares, dtype=np.float64) - 0.5
    payoff = (payoff - payoff.T) / 2
    count = len(payoff)
    scale = float(np.abs(payoff).max(initial=0.0))
    if count == 0 or scale == 0.0:
        return np.full(count, 1 / max(count, 1))
    payoff = payoff / scale
    appeal = np.zeros(count)
    softness = 1.0
    while softness > _SHARPEST:
        softness /= 2
        appeal = _soft_answers(payoff / softness, appeal)
    weights = _softmax(appeal)
    weights[weights < 1e-4] = 0.0
    return np.asarray(weights / weights.sum())


def _soft_answers(payoff: Table, appeal: Table) -> Table:
    """Solve appeal = payoff @ softmax(appeal) by Newton's method, from a point that is near.

    The payoff is antisymmetric, so that the matrix of the linear equations is never singular, and
    each step leads downhill.
    """
    error, size = _error(payoff, appeal)
    for _ in range(_STEPS):
        if size < 1e-9 * max(1.0, float(np.abs(appeal).max())):
            break
        weights = _softmax(appeal)
        slope = payoff * weights - np.outer(payoff @ weights, weights)
        step = np.linalg.solve(np.eye(len(appeal)) - slope, -error)
        length = 1.0
        while True:
            tried = appeal + length * step
            tried_error, tried_size = _error(payoff, tried)
            if tried_size < (1 - length / 4) * size or length < 1e-4:
                break
            length /= 2
        appeal, error, size = tried, tried_error, tried_size
    return appeal


def _error(payoff: Table, appeal: Table) -> tuple[Table, float]:
    error = appeal - payoff @ _softmax(appeal)
    return error, float(np.abs(error).max())


def _softmax(appeal: Table) -> Table:
    grown = np.exp(appeal - appeal.max())
    return np.asarray(grown / grown.sum())


def cycles(shares: Table, met: NDArray[np.bool_], most: int) -> list[Cycle]:
    """The clearest cycles of three among bots that have met, each once, the clearest first."""
    edge = np.where(met & (shares > 0.5), shares, 0.0)
    # strength[i, j, k] of i > j > k > i
    strength = np.minimum(np.minimum(edge[:, :, None], edge[None, :, :]), edge.T[:, None, :])
    i, j, k = _first_of_each(len(edge))
    found = strength[i, j, k]
    order = np.argsort(-found, kind="stable")[:most]
    return [Cycle(int(i[n]), int(j[n]), int(k[n]), float(found[n])) for n in order if found[n] > 0]


def count_cycles(shares: Table, met: NDArray[np.bool_]) -> tuple[int, int]:
    """The number of triples that form a cycle, and of triples whose members all have met with a
    winner.
    """
    edge = (met & (shares > 0.5)).astype(np.int64)
    decided = edge + edge.T
    return int(np.trace(edge @ edge @ edge)) // 3, int(np.trace(decided @ decided @ decided)) // 6


@lru_cache(maxsize=4)
def _first_of_each(count: int) -> tuple[Any, Any, Any]:
    """Indices of all triples that begin with their least member: each cycle once."""
    i, j, k = np.meshgrid(*[np.arange(count)] * 3, indexing="ij")
    chosen = (i < j) & (i < k) & (j != k)
    return i[chosen], j[chosen], k[chosen]
