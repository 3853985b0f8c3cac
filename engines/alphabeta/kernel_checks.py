"""Assumptions of the search about the kernels of a game, besides the rules: `kernel_faults`.

Compiled code checks nothing: a wrong answer there is a wrong move, or memory that is overwritten.
So `engines.conformance` asks all of this in plain Python, at every position of a random game.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from engines.alphabeta import kernels
from engines.alphabeta.contests import Searcher
from engines.alphabeta.evaluators import Evaluator, describe
from engines.alphabeta.kernels import FORCED, MOST_GAIN, OPTIONAL, QUIET, WIN
from engines.alphabeta.programs import BoardPrograms
from engines.alphabeta.search import DECIDED

MOST_EVALUATIONS = 64
"""A range of evaluations may have millions: noise has one for each way to be wrong."""

NO_TURNS = "the seats do not move in turn, so the kernel `alternates` must answer False"


def kernel_faults(board: Any, seats: int) -> Iterator[str]:
    """The promises that the kernels break at a position where the game goes on, as sentences."""
    stack = kernels.new_stack()
    legal = stack[: kernels.moves(board, stack, 0)].tolist()
    if min(legal) < 0:
        yield f"the move {min(legal)} is negative: moves are numbers from 0 on"
    for move in legal:
        if not -MOST_GAIN <= (gain := kernels.gain(board, move)) <= MOST_GAIN:
            yield f"the gain of the move {move} is {gain}, beyond {MOST_GAIN}"
    yield from _capture_faults(board, legal)
    yield from _seat_faults(board, seats)
    if kernels.chance(board):
        shares = [kernels.likelihood(board, roll) for roll in legal]
        if not math.isclose(sum(shares), 1):
            yield f"the likelihoods of the rolls add up to {sum(shares)}, not to 1"
    for move in legal:
        yield from _play_faults(board, kernels.play(board, move))


def _capture_faults(board: Any, legal: Collection[int]) -> Iterator[str]:
    noise = kernels.noisy(board)
    if noise not in (QUIET, FORCED, OPTIONAL):
        yield f"noisy answers {noise}, which is none of QUIET, FORCED and OPTIONAL"
    if noise != OPTIONAL:
        return
    if not _registers(kernels.captures, board):
        yield "captures are optional, but the kernel `captures` is not registered"
    stack = kernels.new_stack()
    taken = stack[: kernels.captures(board, stack, 0)].tolist()
    if not set(taken) <= set(legal):
        yield f"these captures are no legal moves: {sorted(set(taken) - set(legal))}"


def _seat_faults(board: Any, seats: int) -> Iterator[str]:
    if (count := kernels.seat_count(board)) != seats:
        yield f"seat_count answers {count} in a game of {seats}"
    if seats == 2:
        return
    if kernels.alternates(board):
        yield NO_TURNS
    for name in ("score", "seen_by"):
        if not _registers(getattr(kernels, name), board):
            yield f"games of more than two seats register the kernel `{name}`"
            return
    for seat in range(seats):
        if (seen := kernels.seen_by(board, seat).seat) != seat:
            yield f"seen_by shows seat {seat} a position in which seat {seen} moves"


def _play_faults(board: Any, after: Any) -> Iterator[str]:
    if kernels.alternates(board) and (
        after.seat != 1 - board.seat or kernels.chance(board) or kernels.chance(after)
    ):
        yield NO_TURNS
    before, reach = kernels.reach(board), kernels.reach(after)
    if (before < 0) != (reach < 0) or reach > before + 1:
        yield f"{reach} plies back count as reversible, right after {before}"


def leaf_faults(board: Any, searchers: Mapping[str, Searcher], programs: object) -> Iterator[str]:
    """As `kernel_faults`, about evaluations and the inputs of programs."""
    dice = _registers(kernels.chance, board)
    most = DECIDED if dice else WIN
    for name, searcher in searchers.items():
        for number in _evaluations(searcher):
            if abs(value := kernels.evaluate(board, number)) >= most:
                yield f"evaluation {number} of {name} answers {value}: it must stay below {most}"
    if isinstance(programs, BoardPrograms) and not all(
        math.isfinite(value) for value in describe(board, programs.inputs)
    ):
        yield "programs are told a number that is not finite"


def _evaluations(searcher: Searcher) -> Collection[int]:
    """The numbered evaluations of a searcher, or a sample of them if they are many."""
    asked = searcher.evaluation
    if searcher.depth == 0 or isinstance(asked, Evaluator):
        return ()
    return [asked] if isinstance(asked, int) else asked[:: -(-len(asked) // MOST_EVALUATIONS)]


def _registers(generic: Any, board: Any) -> bool:
    return generic.dispatch(type(board)) is not generic.dispatch(object)
