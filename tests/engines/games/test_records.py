"""Record files of games, parsed by third-party readers or by the grammar."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from draughts import Board, Move
from draughts.PDN import PDNReader
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.display.records import GameRecord, RecordedMove, write_ggf, write_pdn
from engines.games import GAMES, find_game

AT = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)


def played(name: str, seed: int, most: int = 500) -> tuple[GameRecord, Any]:
    """A game of random moves, and its last state."""
    game: Any = find_game(name)
    rng = random.Random(seed)
    state = game.start(seed, 2)
    moves = []
    while game.outcome(state) is None and len(moves) < most:
        move = rng.choice(list(game.legal(state)))
        moves.append(RecordedMove(game.to_move(state), game.format(state, move), 0.25))
        state = game.play(state, move)
    outcome = game.outcome(state)
    scores = outcome.scores if outcome else (1.0, 0.0)
    forfeit = "" if outcome else "time"
    record = GameRecord("A match", "Here", AT, ("First", "Second"), moves, scores, forfeit)
    return record, state


def test_files_have_plain_extensions() -> None:
    formats = [game.record_format for game in GAMES if game.record_format is not None]
    assert len(formats) >= 5
    for form in formats:
        assert re.fullmatch("[a-z]+", form.extension)


def test_pdn_is_played_through_by_another_program() -> None:
    record, state = played("checkers", 1)
    rules: Any = find_game("checkers")
    text = rules.write_record(record)
    assert max(map(len, text.splitlines())) < 80
    (game,) = PDNReader(pdn_text=text).games
    assert game.variant == "english"
    assert (game.tags["Black"], game.tags["White"]) == ("First", "Second"), "Black moves first"
    assert game.tags["Date"] == "2026.02.03"
    assert game.tags["Result"] == game.game_ending == "1-0"
    assert record.scores == (0.0, 1.0)
    assert game.moves == [move.text for move in record.moves]
    assert any(move.count("x") > 1 for move in game.moves)
    board = Board(variant="english", fen="startpos")
    for move in game.moves:
        board.push(Move(board=board, pdn_move=move))
    side, *pieces = board.fen.split(":")
    theirs = {(part[0], piece) for part in pieces for piece in part[1:].split(",") if piece}
    cells, _, mover = rules.position(state).partition(" ")
    ours = {
        (char.upper(), f"{'K' if char.isupper() else ''}{square}")
        for square, char in enumerate(cells, start=1)
        if char != "."
    }
    assert (theirs, side) == (ours, mover.upper())


@pytest.mark.parametrize("name", ["checkers", "lose-checkers", "checkers-10x10"])
def test_pdn_keeps_every_move(name: str) -> None:
    record, state = played(name, 7)
    game: Any = find_game(name)
    head, text = game.write_record(record).split("\n\n")
    assert all(re.fullmatch(r'\[[A-Z][A-Za-z]* "[^"\\]*"\]', line) for line in head.splitlines())
    *words, _ = text.split()
    numbers = [word for word in words if word.endswith(".")]
    assert numbers == [f"{n}." for n in range(1, len(numbers) + 1)]
    moves = [word for word in words if not word.endswith(".")]
    assert all(re.fullmatch(r"\d+(-\d+|(x\d+)+)", move) for move in moves)
    again = game.start(0, 2)
    for move in moves:
        again = game.play(again, game.parse(again, move))
    assert again == state


PROPERTY = re.compile(r"([A-Z]+)\[([^\[\]]*)\]")


@pytest.mark.parametrize("seed", range(3))
def test_ggf_keeps_every_move(seed: int) -> None:
    record, state = played("reversi", seed, 500 if seed else 11)
    game: Any = find_game("reversi")
    text = game.write_record(record)
    assert re.fullmatch(r"\(;(?:[A-Z]+\[[^\[\]]*\])+;\)\n", text)
    found = PROPERTY.findall(text)
    properties = dict(found)
    assert properties["GM"] == "Othello"
    assert properties["DT"] == "2026.02.03_04:05:06.UTC"
    size, *rows, side = properties["BO"].split()
    assert (size, rows[3], rows[4], side) == ("8", "---O*---", "---*O---", "*")
    again = game.start(0, 2)
    for colour, value in found:
        if colour in "BW":
            move, evaluation, seconds = value.split("/")
            assert (evaluation, float(seconds)) == ("", 0.25)
            assert game.to_move(again) == "BW".index(colour)
            move = "pass" if move == "PA" else move.lower()
            again = game.play(again, game.parse(again, move))
    assert again == state
    black = sum(char == "x" for char in game.position(state)[:64])
    white = sum(char == "o" for char in game.position(state)[:64])
    if record.forfeit:
        assert properties["RE"] == "+64.00:t"
    else:
        empty = (64 - black - white) * (1 if black > white else -1 if black < white else 0)
        assert float(properties["RE"]) == black - white + empty


def test_connect_four_is_a_word_of_columns() -> None:
    record, _ = played("connect-four", 1)
    text = find_game("connect-four").write_record(record)  # type: ignore[union-attr]
    assert text == "".join(move.text for move in record.moves) + "\n"


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=30), st.text(max_size=30))
def test_no_name_breaks_a_file(one: str, other: str) -> None:
    record = GameRecord(one, other, AT, (one, other), [RecordedMove(0, "9-13", 0.1)], (1.0, 0.0))
    pdn = write_pdn(record, "Black", "21,B,8,8,N1,0")
    assert re.fullmatch(r'(\[[A-Z]\w* "[^"\n]*"\]\n){9}\n1\. 9-13 0-1\n', pdn)
    ggf = write_ggf(record, "Othello", "8 - *", 1.0)
    assert [name for name, _ in PROPERTY.findall(ggf)][:5] == ["GM", "PC", "DT", "PB", "PW"]
    assert ggf.count("[") == 9
