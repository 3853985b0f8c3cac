"""The search in games of dice, of many seats, with repetition and with optional captures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from engines.alphabeta import kernels
from engines.alphabeta.contests import RANDOM_MOVER, Searcher, contest, seat_seed
from engines.alphabeta.evaluators import Evaluator, Inputs, describe
from engines.alphabeta.history import advance, begin, is_drawn
from engines.alphabeta.kernels import OPTIONAL
from engines.alphabeta.players import SearchPlayer
from engines.alphabeta.search import DECIDED, WIN, Search, Switches
from engines.compiling.bits import rank, unrank
from engines.game import CHANCE
from engines.programs.board import BASICS, FUNCTIONS
from engines.programs.code import flatten
from engines.programs.primitives import PrimitiveSet, located
from engines.programs.text import parse
from engines.programs.trees import Architecture, TreeSlot
from tests.engines.toys import DOUBLES, RAID, RING, STONES
from tests.engines.toys.compiled import (
    PUSH,
    ROLL,
    STEP_BACK,
    STEP_ON,
    DoublesState,
    RaidState,
    RingState,
    StonesState,
)
from tests.engines.toys.wide import WIDE_INPUTS, WideState


def moves_of(state: Any) -> list[int]:
    stack = kernels.new_stack(16)
    return stack[: kernels.moves(state, stack, 0)].tolist()  # type: ignore[no-any-return]


def settled(margin: int) -> float:
    return margin + (WIN if margin > 0 else -WIN if margin < 0 else 0)


def averaged(value: float) -> float:
    """The weight of a value in an average: points for a finished game."""
    if abs(value) < WIN:
        return value
    return DECIDED * (value - WIN if value > 0 else value + WIN)


def expected(state: DoublesState, depth: int) -> float:
    """The exhaustive value for the mover, with rolls weighted by their probabilities."""
    if kernels.over(state):
        return settled(kernels.result(state))
    if depth <= 0:
        return float(kernels.evaluate(state, 0))
    rolling = kernels.chance(state)
    values = {}
    for move in moves_of(state):
        after = kernels.play(state, move)
        value = expected(after, depth if rolling else depth - 1)
        values[move] = value if after.seat == state.seat else -value
    if rolling:
        return sum(kernels.likelihood(state, move) * averaged(v) for move, v in values.items())
    return max(values.values())


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_rolls_are_averaged(depth: int) -> None:
    for state in (
        DoublesState(0, 0, 0, 0, 0, 0),
        DoublesState(2, 4, 3, 0, 5, 1),
        DoublesState(4, 5, 2, 0, 9, 0),
        DoublesState(1, 5, 0, 0, 9, 1),
    ):
        # Each average is rounded to a whole number.
        wanted = pytest.approx(expected(state, depth), abs=depth)
        for switches in (Switches.NONE, Switches.ALL):
            assert Search(switches=switches).find(state, moves_of(state), depth).value == wanted


def test_no_program_values_a_position_above_a_win() -> None:
    """Rolls are averaged, so otherwise a rare roll would outweigh all others."""
    programs, state = DOUBLES.programs, DoublesState(0, 0, 1, 0, 5, 0)
    for factor in ("1e12", "1e300"):
        text = f"(program doubles (tree value (MultERC {factor} Pot)))"
        search = Search(programs.searcher(parse(text, programs.architecture)).evaluation)
        found = search.find(state, [ROLL], 2)
        assert 0 < abs(unrank(found.value)) <= DECIDED


def test_ranks_can_be_undone() -> None:
    for value in (0.0, 1.0, -2.5, 1e-9, 3e50, -math.pi):
        assert unrank(rank(value)) == pytest.approx(value, rel=1e-12)
        assert rank(unrank(rank(value))) == rank(value)


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_contests_of_many_seats_equal_the_games_of_players(seats: int) -> None:
    searchers = [Searcher(4), RANDOM_MOVER, Searcher(2), Searcher(1), Searcher(3), RANDOM_MOVER]
    for seed in range(5):
        played = contest(STONES, searchers[:seats], seed)
        state = STONES.start(seed, seats)
        players = [
            SearchPlayer(searchers[seat], seat_seed(seed, seat, seats)) for seat in range(seats)
        ]
        moves = []
        while (outcome := STONES.outcome(state)) is None:
            seat = STONES.to_move(state)
            moves.append(players[seat].choose(state, seat))
            state = STONES.play(state, moves[-1])
        assert (played.scores, list(played.moves)) == (outcome.scores, moves)
        assert sum(played.scores) == 1.0


def test_others_count_as_one_opponent() -> None:
    # The three others together can take 3 to 9 stones, so after 4 the last one stays for the mover.
    state = StonesState(3, 0, -1, 4, 0)
    assert Search().find(state, moves_of(state), 2).move == 3
    lost = StonesState(4, 0, -1, 4, 0)
    assert Search().find(lost, moves_of(lost), 4).value < 0


def test_dice_are_the_same_for_both_sides_of_a_pairing() -> None:
    def rolls(moves: tuple[int, ...]) -> list[int]:
        state, faces = DOUBLES.start(0), []
        for move in moves:
            if DOUBLES.to_move(state) == CHANCE:
                faces.append(move)
            state = DOUBLES.play(state, move)
        return faces

    bold, shy = Searcher(2), RANDOM_MOVER
    different = 0
    for seed in range(20):
        one, other = contest(DOUBLES, [bold, shy], seed), contest(DOUBLES, [shy, bold], seed)
        pairs = zip(rolls(one.moves), rolls(other.moves), strict=False)
        assert all(first == second for first, second in pairs)
        different += rolls(one.moves) != rolls(contest(DOUBLES, [bold, shy], seed + 100).moves)
    assert different > 15


def test_rolls_come_as_often_as_they_should() -> None:
    counts = np.zeros(4)
    for seed in range(400):
        state = DOUBLES.start(0)
        for move in contest(DOUBLES, [RANDOM_MOVER, RANDOM_MOVER], seed).moves:
            if DOUBLES.to_move(state) == CHANCE:
                counts[move] += 1
            state = DOUBLES.play(state, move)
    shares = counts / counts.sum()
    assert shares[1:] == pytest.approx([0.25, 0.5, 0.25], abs=0.03)


def test_the_search_sees_repetitions_in_the_game_before_it() -> None:
    # Both tokens stand where they can push; a push that is not the last one lets the other push.
    history = begin(RingState(0, 0, 2, 0, 0))
    plain = Search().find(history.board, moves_of(history.board), 1)
    assert plain.move == PUSH or plain.value <= 1
    for move in (STEP_ON, STEP_ON, STEP_BACK, STEP_BACK) * 2:
        assert not is_drawn(history)
        history = advance(history, move)
    assert is_drawn(history)
    assert RING.outcome(history) is not None
    before = begin(RingState(0, 0, 2, 0, 0))
    for move in (STEP_ON, STEP_ON, STEP_BACK, STEP_BACK, STEP_ON, STEP_ON, STEP_BACK):
        before = advance(before, move)
    # One more step back makes the third repetition: a draw, which follows only from the past.
    board = before.board
    after = kernels.play(board, STEP_BACK)
    told = Search().find(board, [STEP_BACK], 1, past=before.past)
    untold = Search().find(board, [STEP_BACK], 1)
    assert told.value == 0
    assert untold.value == -kernels.evaluate(after, 0) != 0


def with_repetitions(line: list[RingState], depth: int, game: int) -> float:
    """The exhaustive value of the last position. The first `game` positions were played."""
    state = line[-1]
    if kernels.over(state):
        return settled(kernels.result(state))
    before = [one._replace(quiet=0) for one in line[max(0, len(line) - 1 - state.quiet) : -1]]
    played = len(before) - (len(line) - 1 - game)
    mine = state._replace(quiet=0)
    if mine in before[max(0, played) :] or before.count(mine) > 1:
        return 0
    if depth == 0:
        return float(kernels.evaluate(state, 0))
    return max(
        -with_repetitions([*line, kernels.play(state, move)], depth - 1, game)
        for move in moves_of(state)
    )


@pytest.mark.parametrize("moves", [(), (STEP_ON, STEP_ON, STEP_BACK, STEP_BACK, STEP_ON)])
@pytest.mark.parametrize("depth", [2, 4, 6])
def test_the_search_sees_repetitions_on_its_own_line(depth: int, moves: tuple[int, ...]) -> None:
    for pushes in (1, 2):
        history = begin(RingState(1, 2, pushes, 0, 0))
        line = [history.board]
        for move in moves:
            history = advance(history, move)
            line.append(history.board)
        board = history.board
        wanted = max(
            -with_repetitions([*line, kernels.play(board, move)], depth - 1, len(moves))
            for move in moves_of(board)
        )
        # The table may keep a draw by repetition for a line without one, so it is left out.
        for switches in (Switches.NONE, Switches.ALL & ~Switches.TABLE):
            found = Search(switches=switches).find(board, moves_of(board), depth, past=history.past)
            assert found.value == wanted


def test_a_contest_ends_at_the_third_repetition() -> None:
    drawn = 0
    for seed in range(40):
        played = contest(RING, [RANDOM_MOVER, RANDOM_MOVER], seed)
        state = RING.start(seed)
        for move in played.moves:
            assert RING.outcome(state) is None
            state = RING.play(state, move)
        outcome = RING.outcome(state)
        assert outcome is not None
        assert outcome.scores == played.scores
        drawn += played.scores == (0.5, 0.5)
    assert 0 < drawn < 40


def stands(state: RaidState, depth: int) -> int:
    """Quiescence in plain Python: beyond the depth the mover may stop at any position."""
    if kernels.over(state):
        margin = kernels.result(state)
        return margin + (WIN if margin > 0 else -WIN if margin < 0 else 0)
    best, moves = -(1 << 62), moves_of(state)
    if depth <= 0:
        best = kernels.evaluate(state, 0)
        moves = [move for move in moves if move == 1] if kernels.noisy(state) == OPTIONAL else []
    return max([best, *(-stands(kernels.play(state, move), depth - 1) for move in moves)])


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_optional_captures_may_be_left_alone(depth: int) -> None:
    for taken in range(6):
        state = RaidState(0, 0, taken, 0, 0)
        found = Search(switches=Switches.ALL).find(state, moves_of(state), depth)
        assert found.value == max(
            -stands(kernels.play(state, move), depth - 1) for move in moves_of(state)
        )
        assert RAID.legal(state)


# Boards of more than 64 squares.

PRIMITIVES = PrimitiveSet(
    "wide",
    (
        *BASICS,
        located("IsMine", WIDE_INPUTS.of_board(0), (range(1, 122),), about="mine"),
        *FUNCTIONS,
    ),
)


@pytest.mark.parametrize("square", [0, 63, 64, 120])
def test_programs_see_every_square_of_a_large_board(square: int) -> None:
    state = WideState(np.uint64(0), np.uint64(0), 0)
    words = [1 << square if square < 64 else 0, 1 << square - 64 if square >= 64 else 0]
    occupied = WideState(np.uint64(words[0]), np.uint64(words[1]), 0)
    architecture = Architecture(
        "wide", (TreeSlot("value", PRIMITIVES, most_depth=5, about="how good"),), WIDE_INPUTS.count
    )
    text = f"(program wide (tree value (IFT (IsMine {square + 1}) (Plus One One) One)))"
    search = Search(Evaluator.of(flatten(parse(text, architecture)), WIDE_INPUTS))
    values = [search.find(one, [0], 1).value for one in (state, occupied)]
    assert [-unrank(value) for value in values] == [1.0, 2.0]
    told = describe(occupied, WIDE_INPUTS)
    assert [place for place, value in enumerate(told) if value] == [square]


def test_too_many_inputs_are_refused_by_a_sentence() -> None:
    assert Inputs(10, tuple(range(64)), 12).count == 778
    assert Inputs(0, tuple(range(121)), 7).words == 2
    with pytest.raises(ValueError, match="at most 62 inputs about the whole board, not 63"):
        Inputs(63)
    with pytest.raises(ValueError, match="words of 64 squares"):
        Inputs(0, tuple(range(121)), 33)
    with pytest.raises(ValueError, match="numbers from 0 on, not -1"):
        Inputs(0, (3, -1), 1)
