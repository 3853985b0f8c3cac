"""Reversi against a slow restatement of its rules, OpenSpiel, its own symmetries and bad input."""

from __future__ import annotations

import random

import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.alphabeta import kernels
from engines.competition import BadPosition, IllegalMove
from engines.compiling.bits import popcount
from engines.games.reversi import EVALUATIONS, PASS, REVERSI, ReversiState

STEPS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
START = "---------------------------ox------xo--------------------------- x"


@st.composite
def reached(draw: st.DrawFn) -> ReversiState:
    """A state some random moves from the start."""
    state = REVERSI.start(0)
    for pick in draw(st.lists(st.integers(0, 63), max_size=64)):
        legal = REVERSI.legal(state)
        if not legal:
            break
        state = REVERSI.play(state, legal[pick % len(legal)])
    return state


def placed() -> st.SearchStrategy[ReversiState]:
    """Any placement of discs, reachable or not."""
    cells = st.text("xo-", min_size=64, max_size=64)
    return st.builds(
        lambda board, side: REVERSI.from_position(f"{board} {side}"), cells, st.sampled_from("xo")
    )


def plainly_turned(board: str, side: str, square: int) -> set[int]:
    """Squares whose discs turn over, read off the board line by line."""
    turned: set[int] = set()
    for across, up in STEPS:
        line, x, y = [], square % 8 + across, square // 8 + up
        while 0 <= x < 8 and 0 <= y < 8 and board[8 * y + x] not in ("-", side):
            line.append(8 * y + x)
            x, y = x + across, y + up
        if 0 <= x < 8 and 0 <= y < 8 and board[8 * y + x] == side:
            turned.update(line)
    return turned


def plainly_legal(board: str, side: str) -> list[int]:
    return [s for s in range(64) if board[s] == "-" and plainly_turned(board, side, s)]


@given(st.one_of(placed(), reached()))
def test_moves_follow_the_plain_rules(state: ReversiState) -> None:
    board, side = REVERSI.position(state).split()
    other = "o" if side == "x" else "x"
    expected = plainly_legal(board, side)
    if not expected and plainly_legal(board, other):
        expected = [PASS]
    assert list(REVERSI.legal(state)) == expected
    assert kernels.mobility(state) == len(expected)
    assert kernels.over(state) == (not expected)
    for move in expected:
        cells = list(board)
        for square in {move} | plainly_turned(board, side, move) if move != PASS else ():
            cells[square] = side
        assert REVERSI.position(REVERSI.play(state, move)) == f"{''.join(cells)} {other}"


@given(reached())
def test_mirrored_positions_have_mirrored_moves(state: ReversiState) -> None:
    board, side = REVERSI.position(state).split()
    for mirror in (lambda s: s ^ 7, lambda s: s ^ 56, lambda s: s % 8 * 8 + s // 8):
        twin = REVERSI.from_position(f"{''.join(board[mirror(s)] for s in range(64))} {side}")
        moves = {move if move == PASS else mirror(move) for move in REVERSI.legal(twin)}
        assert moves == set(REVERSI.legal(state))
        for evaluation in EVALUATIONS:
            assert kernels.evaluate(twin, evaluation) == kernels.evaluate(state, evaluation)


@given(reached(), st.sampled_from(EVALUATIONS))
def test_evaluations_take_the_movers_side(state: ReversiState, evaluation: int) -> None:
    turned = ReversiState(state.other, state.mover, 1 - state.seat)
    assert kernels.evaluate(turned, evaluation) == -kernels.evaluate(state, evaluation)
    assert abs(kernels.evaluate(state, evaluation)) < kernels.WIN


@given(reached())
def test_a_move_adds_one_disc(state: ReversiState) -> None:
    for move in REVERSI.legal(state):
        after = REVERSI.play(state, move)
        added = popcount(after.mover | after.other) - popcount(state.mover | state.other)
        assert added == (move != PASS)
        assert after.mover & after.other == 0


@pytest.mark.parametrize("seed", range(20))
def test_open_spiel_agrees(seed: int) -> None:
    draw = random.Random(seed)
    theirs, ours = pyspiel.load_game("othello").new_initial_state(), REVERSI.start(0)
    while not theirs.is_terminal():
        assert list(REVERSI.legal(ours)) == sorted(theirs.legal_actions())
        move = draw.choice(REVERSI.legal(ours))
        theirs.apply_action(move)
        ours = REVERSI.play(ours, move)
    outcome = REVERSI.outcome(ours)
    assert outcome is not None
    assert [2 * score - 1 for score in outcome.scores] == theirs.returns()


def test_notation() -> None:
    state = REVERSI.start(0)
    assert REVERSI.position(state) == START
    assert [REVERSI.format(state, m) for m in REVERSI.legal(state)] == ["d3", "c4", "f5", "e6"]
    assert REVERSI.observation(state, 1) == {
        "mark": "o",
        "board": ["-" * 8] * 3 + ["---ox---", "---xo---"] + ["-" * 8] * 3,
        "discs": {"x": 2, "o": 2},
    }


def test_a_side_without_moves_passes() -> None:
    state = REVERSI.from_position("xo" + "-" * 62 + " o")
    assert [REVERSI.format(state, move) for move in REVERSI.legal(state)] == ["pass"]
    with pytest.raises(IllegalMove, match="the only move is 'pass'"):
        REVERSI.parse(state, "c1")
    assert REVERSI.legal(REVERSI.play(state, REVERSI.parse(state, "pass"))) == (2,)


@pytest.mark.parametrize(
    ("board", "scores", "reason"),
    [
        ("x" * 40 + "o" * 24, (1, 0), "Black has more discs, 40 to 24"),
        ("x" * 10 + "o" * 54, (0, 1), "White has more discs, 54 to 10"),
        ("x" * 32 + "o" * 32, (0.5, 0.5), "Both have 32 discs"),
        ("x" * 3 + "-" * 61, (1, 0), "Black has more discs, 3 to 0"),
    ],
)
@pytest.mark.parametrize("side", "xo")
def test_outcomes(board: str, side: str, scores: tuple[float, ...], reason: str) -> None:
    outcome = REVERSI.outcome(REVERSI.from_position(f"{board} {side}"))
    assert outcome is not None
    assert (outcome.scores, outcome.reason) == (scores, reason)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("d4", "d4 is taken"),
        ("a1", "a1 turns no disc over"),
        ("pass", "may not pass"),
        ("d9", "'d9' is neither a square"),
        ("D3", "'D3' is neither a square"),
        ("", "'' is neither a square"),
        (None, "a value of type NoneType is neither a square"),
        ("z" * 99_999, "99999 characters"),
    ],
)
def test_illegal_moves(text: str, complaint: str) -> None:
    with pytest.raises(IllegalMove, match=complaint) as caught:
        REVERSI.parse(REVERSI.start(0), text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "66 characters.*not 0"),
        ("-" * 64, "not 64"),
        ("x" * 10_000_000, "not 10000000"),
        (START[:-1] + "-", "side to move is one of 'xo', not '-'"),
        ("." + START[1:], "cell 1 is '.'"),
        (START[:64] + "xx", "a space"),
        (None, "a position must be a text"),
    ],
)
def test_bad_positions(text: str, complaint: str) -> None:
    with pytest.raises(BadPosition, match=complaint) as caught:
        REVERSI.from_position(text)
    assert len(str(caught.value)) < 200


def test_openings_differ_by_seed() -> None:
    openings = {tuple(REVERSI.opening(seed)) for seed in range(200)}
    assert len(openings) > 100
    assert {len(opening) for opening in openings} == {4, 6}


def test_pictures_are_small() -> None:
    full = REVERSI.from_position("xo" * 32 + " x")
    assert len(REVERSI.svg(full, 11)) < 6_000
