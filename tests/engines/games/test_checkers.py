"""Checkers against a slow restatement of its rules, OpenSpiel, its symmetry and bad input."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.alphabeta import kernels
from engines.alphabeta.search import Search
from engines.competition import BadPosition, IllegalMove
from engines.games.checkers import AMERICAN, LARGE, LOSING
from engines.games.checkers.evaluation import EVALUATIONS, MATERIAL_LOW, RANDOM
from engines.games.checkers.game import CheckersGame
from engines.games.checkers.rules import QUIET_LIMIT, State

GAMES = [AMERICAN, LOSING, LARGE]
START = "b" * 12 + "." * 8 + "w" * 12

Cell = tuple[int, int]
Grid = dict[Cell, str]


@st.composite
def placed(draw: st.DrawFn) -> tuple[CheckersGame, State]:
    """Any placement of pieces, many of them kings, reachable or not."""
    game = draw(st.sampled_from(GAMES))
    board = game.variant.board
    weights = draw(st.sampled_from(["." * 3 + "bBwW", "." * 9 + "bwWB", "..Bww", "..Wbb"]))
    cells = draw(st.lists(st.sampled_from(weights), min_size=board.squares, max_size=board.squares))
    half = board.size // 2
    for side, row in (("w", range(half)), ("b", range(board.squares - half, board.squares))):
        for square in row:
            cells[square] = cells[square].upper() if cells[square] == side else cells[square]
        for square in [s for s, c in enumerate(cells) if c.lower() == side][board.pieces :]:
            cells[square] = "."
    if not "".join(cells).strip("."):
        cells[0] = "b"
    side = draw(st.sampled_from("bw"))
    quiet = draw(st.sampled_from(["", "", f" {draw(st.integers(1, QUIET_LIMIT))}"]))
    return game, game.from_position(f"{''.join(cells)} {side}{quiet}")


@st.composite
def reached(draw: st.DrawFn) -> tuple[CheckersGame, State]:
    """A state some random moves from the start."""
    game = draw(st.sampled_from(GAMES))
    state = game.start(0)
    for pick in draw(st.lists(st.integers(0, 59), max_size=90)):
        legal = game.legal(state)
        if not legal:
            break
        state = game.play(state, legal[pick % len(legal)])
    return game, state


def states() -> st.SearchStrategy[tuple[CheckersGame, State]]:
    return st.one_of(placed(), reached())


# The same rules again, on a grid of cells, written without regard to speed.


def number(size: int, cell: Cell) -> int:
    return cell[0] * (size // 2) + cell[1] // 2 + 1


def grid_of(game: CheckersGame, cells: str) -> Grid:
    size = game.variant.board.size
    dark = [(row, column) for row in range(size) for column in range(size) if (row + column) % 2]
    return dict(zip(dark, cells, strict=True))


def ways(piece: str) -> list[Cell]:
    rows = {"b": (1,), "w": (-1,)}.get(piece, (1, -1))
    return [(row, column) for row in rows for column in (1, -1)]


def crowned(piece: str, row: int, size: int) -> str:
    return piece.upper() if row == (size - 1 if piece == "b" else 0) else piece


def plain_jumps(grid: Grid, size: int, path: list[Cell], piece: str, taken: list[Cell]) -> Any:
    """Complete jumps (path, cells taken) that continue a path; the piece itself is off the grid."""
    found = []
    row, column = path[-1]
    stops = len(path) > 1 and piece.islower() and crowned(piece, row, size) != piece
    for down, across in [] if stops else ways(piece):
        over, landing = (row + down, column + across), (row + 2 * down, column + 2 * across)
        enemy = grid.get(over, ".").lower() not in (".", piece.lower())
        if enemy and over not in taken and grid.get(landing) == ".":
            found += plain_jumps(grid, size, [*path, landing], piece, [*taken, over])
    return found or ([(path, taken)] if taken else [])


def plain_moves(game: CheckersGame, cells: str, side: str) -> Iterator[tuple[str, str]]:
    """Every legal move with the cells after it."""
    size = game.variant.board.size
    grid = grid_of(game, cells)
    own = [cell for cell, piece in grid.items() if piece.lower() == side]
    moves: list[tuple[list[Cell], list[Cell]]] = []
    for cell in own:
        moves += plain_jumps({**grid, cell: "."}, size, [cell], grid[cell], [])
    if not moves:
        steps = [(c, (c[0] + d, c[1] + a)) for c in own for d, a in ways(grid[c])]
        moves = [([c, to], []) for c, to in steps if grid.get(to) == "."]
    for path, taken in moves:
        after = {**grid, **dict.fromkeys([*taken, path[0]], ".")}
        after[path[-1]] = crowned(grid[path[0]], path[-1][0], size)
        text = ("x" if taken else "-").join(str(number(size, cell)) for cell in path)
        yield text, "".join(after.values())


@settings(max_examples=300)
@given(states())
def test_moves_follow_the_plain_rules(case: tuple[CheckersGame, State]) -> None:
    game, state = case
    cells, side, *quiet = game.position(state).split()
    expected = dict(plain_moves(game, cells, side))
    if quiet == [str(QUIET_LIMIT)]:
        assert game.legal(state) == ()
        assert game.outcome(state) is not None
        return
    legal = {game.format(state, move): move for move in game.legal(state)}
    assert set(legal) == set(expected)
    assert kernels.mobility(state) == len(legal)
    assert kernels.over(state) == (not legal)
    assert kernels.noisy(state) == any("x" in text for text in legal)
    for text, move in legal.items():
        after = game.play(state, move)
        assert game.position(after).split()[:2] == [expected[text], "w" if side == "b" else "b"]
        assert kernels.gain(state, move) == text.count("x")
        progress = "x" in text or cells[int(text.split("-")[0]) - 1].islower()
        assert after.quiet == (0 if progress else state.quiet + 1)


@given(states())
def test_turned_boards_have_turned_moves(case: tuple[CheckersGame, State]) -> None:
    game, state = case
    cells, side, *quiet = game.position(state).split()
    last = game.variant.board.squares + 1
    swapped = cells[::-1].translate(str.maketrans("bBwW", "wWbB"))
    twin = game.from_position(" ".join([swapped, "w" if side == "b" else "b", *quiet]))

    def turned(text: str) -> str:
        mark = "x" if "x" in text else "-"
        return mark.join(str(last - int(square)) for square in text.split(mark))

    ours = {game.format(state, move) for move in game.legal(state)}
    assert {turned(game.format(twin, move)) for move in game.legal(twin)} == ours
    for evaluation in EVALUATIONS:
        if evaluation < RANDOM:
            assert kernels.evaluate(twin, evaluation) == kernels.evaluate(state, evaluation)


@given(states(), st.sampled_from([*EVALUATIONS, RANDOM + 2**47]))
def test_evaluations_stay_below_a_win(case: tuple[CheckersGame, State], evaluation: int) -> None:
    assert abs(kernels.evaluate(case[1], evaluation)) < kernels.WIN


@given(states(), states())
def test_keys_tell_positions_apart(one: Any, two: Any) -> None:
    texts = [game.position(state).split()[:2] for game, state in (one, two)]
    alike = one[0] is not two[0] or texts[0] == texts[1]
    assert alike or kernels.key(one[1]) != kernels.key(two[1])


def test_losers_of_pieces_want_to_lose_them() -> None:
    text = "b......................W...w.w.. b"
    values = [
        kernels.evaluate(game.from_position(text), MATERIAL_LOW) for game in (AMERICAN, LOSING)
    ]
    assert values[0] == -values[1] == 2 - 3 - 2 - 2


def theirs_turns(state: Any, size: int) -> dict[str, Any]:
    """OpenSpiel's state after each whole turn: there each leg of a jump is a separate move."""

    def square(name: str) -> int:
        row, column = int(name[1:]) - 1, size - 1 - "abcdefghij".index(name[0])
        return number(size, (row, column))

    def legs(state: Any, action: int) -> tuple[int, int, bool]:
        text = state.action_to_string(action)
        split = 3 if text[2].isdigit() else 2
        one, two = text[:split], text[split:]
        return square(one), square(two), abs(int(one[1:]) - int(two[1:])) == 2

    turns: dict[str, Any] = {}
    mover = state.current_player()
    waiting = [(state.child(action), [*legs(state, action)]) for action in state.legal_actions()]
    while waiting:
        now, (*path, jumps) = waiting.pop()
        if jumps and not now.is_terminal() and now.current_player() == mover:
            for action in now.legal_actions():
                _, landing, _ = legs(now, action)
                waiting.append((now.child(action), [*path, landing, True]))
        else:
            turns[("x" if jumps else "-").join(map(str, path))] = now
    return turns


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("game", "oracle"),
    [
        (AMERICAN, "checkers"),
        (LOSING, "misere(game=checkers())"),
        (LARGE, "checkers(rows=10,columns=10)"),
    ],
    ids=["checkers", "lose-checkers", "checkers-10x10"],
)
def test_open_spiel_agrees(game: CheckersGame, oracle: str, seed: int) -> None:
    draw = random.Random(seed)
    theirs, ours = pyspiel.load_game(oracle).new_initial_state(), game.start(0)
    while not theirs.is_terminal():
        turns = theirs_turns(theirs, game.variant.board.size)
        legal = {game.format(ours, move): move for move in game.legal(ours)}
        assert set(legal) == set(turns)
        text = draw.choice(sorted(legal))
        theirs, ours = turns[text], game.play(ours, legal[text])
    outcome = game.outcome(ours)
    if theirs.returns() == [0, 0]:
        # Forty plies without a capture are a draw there, but not yet here.
        assert outcome is None
    else:
        assert outcome is not None
        assert [2 * score - 1 for score in outcome.scores] == theirs.returns()


def test_notation() -> None:
    state = AMERICAN.start(0)
    assert AMERICAN.position(state) == f"{START} b"
    assert [AMERICAN.format(state, move) for move in AMERICAN.legal(state)] == [
        "9-13",
        "9-14",
        "10-14",
        "10-15",
        "11-15",
        "11-16",
        "12-16",
    ]
    seen = AMERICAN.observation(state, 1)
    assert (seen["mark"], seen["quiet"]) == ("w", 0)
    assert seen["board"][0] == ".b.b.b.b"
    assert seen["board"][7] == "w.w.w.w."


def test_progress_is_counted() -> None:
    state = AMERICAN.from_position("B" + "." * 30 + "W b 78")
    for expected in (79, 80):
        assert AMERICAN.outcome(state) is None
        state = AMERICAN.play(state, AMERICAN.legal(state)[0])
        assert AMERICAN.position(state).endswith(f" {expected}")
    outcome = AMERICAN.outcome(state)
    assert outcome is not None
    assert outcome.scores == (0.5, 0.5)
    assert "80 moves" in outcome.reason
    assert AMERICAN.legal(state) == ()


@pytest.mark.parametrize(
    ("text", "reason", "winner"),
    [
        ("b" + "." * 31 + " w", "White has no pieces left", 0),
        ("...." + "w" + "........b" + "." * 18 + " b", None, None),
        ("." * 27 + "b..." + "W b", "Black cannot move", 1),
        ("." * 27 + "b..." + "W b 80", "Black cannot move", 1),
    ],
)
def test_outcomes(text: str, reason: str | None, winner: int | None) -> None:
    for game in (AMERICAN, LOSING):
        outcome = game.outcome(game.from_position(text))
        if reason is None:
            assert outcome is None
            continue
        assert outcome is not None
        assert outcome.reason.startswith(reason)
        assert outcome.scores.index(1) == (winner if game is AMERICAN else 1 - winner)


@pytest.mark.parametrize(
    ("position", "text", "complaint"),
    [
        (f"{START} b", "", "'' is not a move: write"),
        (f"{START} b", "9", "is not a move"),
        (f"{START} b", "9-14-18", "is not a move"),
        (f"{START} b", "09-14", "is not a move"),
        (f"{START} b", "٩-14", "is not a move"),
        (f"{START} b", "9x" * 9_999, "19998 characters"),
        (f"{START} b", None, "a value of type NoneType"),
        (f"{START} b", "9-33", "33 is not a square from 1 to 32"),
        (f"{START} b", "14-18", "no piece of b on 14"),
        (f"{START} b", "21-17", "no piece of b on 21"),
        (f"{START} b", "9-18", "the piece on 9 cannot move so"),
        (f"{START} b", "9x18", "the piece on 9 cannot move so"),
        ("........b....w......w........... b", "9-14", "a capture is due, such as 9x18"),
        ("........b....w.......w.......... b", "9x18", "the jump 9x18 must continue: 9x18x25"),
        ("........b....w.......w.......... b", "9x25", "9x25 leaves out squares"),
        ("b" + "." * 31 + " w", "1-5", "the game is over"),
    ],
)
def test_illegal_moves(position: str, text: str, complaint: str) -> None:
    with pytest.raises(IllegalMove, match=complaint) as caught:
        AMERICAN.parse(AMERICAN.from_position(position), text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "34 characters.*not 0"),
        (START, "not 32"),
        ("b" * 10_000_000, "10000000 characters"),
        (None, "a position must be a text"),
        (f"{START} x", "side to move is one of 'bw', not 'x'"),
        (f"x{START[1:]} b", "cell 1 is 'x'"),
        (f"{START}-b", "a space separates"),
        (f"{START} b 0", "plies without progress, 1 to 80"),
        (f"{START} b 81", "plies without progress"),
        (f"{START} b ٣", "plies without progress"),
        (f"{START} b 7\n", "plies without progress"),
        (f"{START} b 777", "plies without progress"),
        ("." * 32 + " b", "the board is empty"),
        ("b" * 13 + "." * 19 + " b", "b has 13 pieces; a side has at most 12"),
        ("." * 31 + "b b", "the man of b on 32"),
        ("w" + "." * 31 + " b", "the man of w on 1"),
    ],
)
def test_bad_positions(text: str, complaint: str) -> None:
    with pytest.raises(BadPosition, match=complaint) as caught:
        AMERICAN.from_position(text)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_openings_differ_and_are_contests(game: CheckersGame) -> None:
    openings = {tuple(game.opening(seed)) for seed in range(60)}
    assert len(openings) > 50
    assert {len(opening) for opening in openings} == {4, 6}
    for opening in openings:
        state = game.start(0)
        for move in opening:
            state = game.play(state, move)
        found = Search(MATERIAL_LOW).find(state, game.legal(state), depth=3)
        assert abs(found.value) <= 2


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_pictures_are_small_and_mark_the_last_move(game: CheckersGame) -> None:
    state = game.start(0)
    move = game.legal(state)[0]
    svg = game.svg(game.play(state, move), move)
    assert len(svg) < 12_000
    assert svg.count("<polyline") == 1
    assert "<polyline" not in game.svg(state)
