"""`ladder uci`, driven by the engine module of python-chess as a program with a board would do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import chess
import chess.engine
import pytest

from ladder.cli import main

COMMAND = [sys.executable, "-m", "ladder.cli", "uci", "--game", "chess", "--bot"]


@contextmanager
def engine(*words: str) -> Iterator[chess.engine.SimpleEngine]:
    started = chess.engine.SimpleEngine.popen_uci([*COMMAND, *words], timeout=300)
    try:
        yield started
    finally:
        started.quit()


def play(white: chess.engine.SimpleEngine, black: chess.engine.SimpleEngine) -> chess.Board:
    board = chess.Board()
    while not board.is_game_over(claim_draw=True) and board.ply() < 200:
        mover = white if board.turn else black
        found = mover.play(board, chess.engine.Limit(time=0.1))
        assert found.move is not None
        board.push(found.move)
    return board


def test_house_bots_play_a_game() -> None:
    with engine("alphabeta-3") as strong, engine("random", "--seed", "7") as weak:
        board = play(strong, weak)
        assert board.is_checkmate()
        assert board.turn is chess.BLACK, "the stronger side mates"


def test_a_bot_file_is_an_engine(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def agent(observation, configuration):\n    return observation['legal'][0]\n")
    with engine(str(bot)) as mine:
        board = chess.Board()
        for expected in ("a2a3", "b8a6"):
            found = mine.play(board, chess.engine.Limit(time=0.1))
            assert found.move == chess.Move.from_uci(expected) or board.turn is chess.BLACK
            assert found.move in board.legal_moves
            board.push(found.move)


def talk(words: list[str], lines: str) -> list[str]:
    done = subprocess.run(
        [*COMMAND, *words], input=lines, capture_output=True, text=True, timeout=300, check=True
    )
    return done.stdout.splitlines()


def test_odd_commands_are_answered() -> None:
    said = talk(
        ["random"],
        "uci\nxyzzy\nposition fen 8/8 w\nposition startpos moves e2e5\nposition now\n"
        "position fen 7k/5KQ1/8/8/8/8/8/8 b - - 0 1\ngo depth 3\nposition startpos\n"
        "go infinite\nisready\nstop\nquit\n",
    )
    assert said[:3] == ["id name Evoladder random", "id author Evoladder", "uciok"]
    assert "'xyzzy' is not a command" in said[3]
    assert "a FEN has six fields" in said[4]
    assert "the pawn on e2 cannot move to e5" in said[5]
    assert "write 'position startpos'" in said[6]
    assert said[7] == "info string the game is over: White mates"
    assert said[8] == "bestmove (none)"
    assert said[9] == "readyok"
    assert said[10].startswith("bestmove ")


def test_a_faulty_bot_says_why(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def agent(observation, configuration):\n    return 'e2e5'\n")
    said = talk([str(bot)], "position startpos\ngo\nquit\n")
    assert "is illegal" in said[0]
    assert said[1] == "bestmove (none)"


def test_other_games_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["uci", "--game", "reversi", "--bot", "random"]) != 0
    assert "these games are: chess, chess-endgames" in capsys.readouterr().err
