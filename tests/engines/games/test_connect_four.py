"""Connect Four against a slow restatement of its rules, OpenSpiel, mirroring and bad input."""

from __future__ import annotations

import random

import pyspiel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.alphabeta import kernels
from engines.alphabeta.search import Search
from engines.competition import BadPosition, IllegalMove
from engines.games.connect_four import CONNECT_FOUR, EVALUATIONS, PLACES, ConnectFourState

EMPTY = "." * 42 + " x"


def played(moves: str) -> ConnectFourState:
    state = CONNECT_FOUR.start(0)
    for text in moves:
        state = CONNECT_FOUR.play(state, CONNECT_FOUR.parse(state, text))
    return state


@st.composite
def reached(draw: st.DrawFn) -> ConnectFourState:
    """A state some random moves from the start."""
    state = CONNECT_FOUR.start(0)
    for pick in draw(st.lists(st.integers(0, 41), max_size=42)):
        legal = CONNECT_FOUR.legal(state)
        if not legal:
            break
        state = CONNECT_FOUR.play(state, legal[pick % len(legal)])
    return state


def plainly_won(rows: list[str], side: str) -> bool:
    return any(
        all(
            0 <= y + k * down < 6
            and 0 <= x + k * across < 7
            and rows[y + k * down][x + k * across] == side
            for k in range(4)
        )
        for y in range(6)
        for x in range(7)
        for across, down in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


@given(reached())
def test_moves_follow_the_plain_rules(state: ConnectFourState) -> None:
    board, side = CONNECT_FOUR.position(state).split()
    other = "o" if side == "x" else "x"
    rows = [board[start : start + 7] for start in range(0, 42, 7)]
    won = plainly_won(rows, other)
    expected = [] if won else [column for column in range(7) if rows[0][column] == "."]
    assert list(CONNECT_FOUR.legal(state)) == expected
    assert kernels.mobility(state) == len(expected)
    assert kernels.over(state) == (not expected)
    outcome = CONNECT_FOUR.outcome(state)
    assert (outcome is None) == bool(expected)
    if outcome is not None:
        assert outcome.scores[1 - state.seat] == (1.0 if won else 0.5)
    for move in expected:
        row = max(y for y in range(6) if rows[y][move] == ".")
        cells = list(board)
        cells[7 * row + move] = side
        after = CONNECT_FOUR.play(state, move)
        assert CONNECT_FOUR.position(after) == f"{''.join(cells)} {other}"


@given(reached())
def test_mirrored_positions_have_mirrored_moves(state: ConnectFourState) -> None:
    board, side = CONNECT_FOUR.position(state).split()
    mirrored = "".join(board[start : start + 7][::-1] for start in range(0, 42, 7))
    twin = CONNECT_FOUR.from_position(f"{mirrored} {side}")
    assert {6 - move for move in CONNECT_FOUR.legal(twin)} == set(CONNECT_FOUR.legal(state))
    for evaluation in EVALUATIONS:
        assert kernels.evaluate(twin, evaluation) == kernels.evaluate(state, evaluation)


@given(reached(), st.sampled_from(EVALUATIONS))
def test_evaluations_stay_below_a_win(state: ConnectFourState, evaluation: int) -> None:
    assert abs(kernels.evaluate(state, evaluation)) < kernels.WIN


@given(reached(), reached())
def test_keys_tell_positions_apart(one: ConnectFourState, two: ConnectFourState) -> None:
    same = CONNECT_FOUR.position(one) == CONNECT_FOUR.position(two)
    assert (kernels.key(one) == kernels.key(two)) == same


@pytest.mark.parametrize("seed", range(20))
def test_open_spiel_agrees(seed: int) -> None:
    draw = random.Random(seed)
    theirs, ours = pyspiel.load_game("connect_four").new_initial_state(), CONNECT_FOUR.start(0)
    while not theirs.is_terminal():
        assert list(CONNECT_FOUR.legal(ours)) == theirs.legal_actions()
        move = draw.choice(CONNECT_FOUR.legal(ours))
        theirs.apply_action(move)
        ours = CONNECT_FOUR.play(ours, move)
    outcome = CONNECT_FOUR.outcome(ours)
    assert outcome is not None
    assert [2 * score - 1 for score in outcome.scores] == theirs.returns()


@pytest.mark.parametrize(
    ("moves", "reason"),
    [
        ("1212121", "Red has four in column 1"),
        ("4455667", "Red has four in a row, columns 4 to 7"),
        ("71122334", "Yellow has four in a row, columns 1 to 4"),
        ("12233434464", "Red has four on a diagonal, columns 1 to 4"),
        ("76655454424", "Red has four on a diagonal, columns 4 to 7"),
    ],
)
def test_outcomes(moves: str, reason: str) -> None:
    outcome = CONNECT_FOUR.outcome(played(moves))
    assert outcome is not None
    assert outcome.reason == reason
    assert outcome.scores == ((1, 0) if reason.startswith("Red") else (0, 1))


def test_a_full_board_is_a_draw() -> None:
    rows = ["xxooxxo", "ooxxoox", "xxooxxo", "ooxxoox", "xxooxxo", "ooxxoox"]
    outcome = CONNECT_FOUR.outcome(CONNECT_FOUR.from_position("".join(rows) + " x"))
    assert outcome is not None
    assert (outcome.scores, outcome.reason) == ((0.5, 0.5), "The board is full")


@pytest.mark.parametrize(
    ("before", "text", "complaint"),
    [
        ("", "0", "'0' is not a column from 1 to 7"),
        ("", "8", "'8' is not a column"),
        ("", "12", "'12' is not a column"),
        ("", "", "'' is not a column"),
        ("", "٣", "is not a column"),
        ("", 3, "a value of type int"),
        ("", "1" * 99_999, "99999 characters"),
        ("111111", "1", "column 1 is full"),
        ("1212121", "3", "the game is over"),
    ],
)
def test_illegal_moves(before: str, text: str, complaint: str) -> None:
    with pytest.raises(IllegalMove, match=complaint) as caught:
        CONNECT_FOUR.parse(played(before), text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "44 characters.*not 0"),
        ("x" * 10_000_000, "not 10000000"),
        ("." * 42 + " -", "side to move"),
        ("." * 42 + " o", "o cannot be to move with 0 discs x and 0 discs o"),
        ("-" + EMPTY[1:], "cell 1 is '-'"),
        ("." * 34 + "x" + "." * 7 + " o", "column 7 hangs in the air"),
        ("." * 35 + "xx....." + " x", "cannot be to move with 2 discs x"),
        ("." * 28 + "ooo...." + "xxxx..o" + " x", "x has four in a row already"),
        (None, "a position must be a text"),
    ],
)
def test_bad_positions(text: str, complaint: str) -> None:
    with pytest.raises(BadPosition, match=complaint) as caught:
        CONNECT_FOUR.from_position(text)
    assert len(str(caught.value)) < 200


def test_openings_differ_and_are_contests() -> None:
    openings = {tuple(CONNECT_FOUR.opening(seed)) for seed in range(200)}
    assert len(openings) > 80
    assert {len(opening) for opening in openings} == {2, 4}
    search = Search(PLACES)
    for opening in openings:
        state = played("".join(str(column + 1) for column in opening))
        assert search.find(state, CONNECT_FOUR.legal(state), depth=3).value < kernels.WIN


def test_pictures_are_small_and_mark_the_last_disc() -> None:
    state = played("4455")
    svg = CONNECT_FOUR.svg(state, 4)
    assert len(svg) < 6_000
    assert svg.count("stroke-width") == 1
    assert "stroke-width" not in CONNECT_FOUR.svg(CONNECT_FOUR.start(0), 4)
