"""The problems of Chess Mates, their exact solver, and wrong answers."""

from __future__ import annotations

import chess
import pytest

from engines.competition import BadPosition, IllegalMove
from engines.games.chess.mates import CHESS_MATES, INSTANCES, problems
from engines.games.chess.solver import keys

BACK_RANK = "6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1;"


def mates(board: chess.Board, moves: int) -> bool:
    """Whether the side to move forces mate in that number of moves, by trying everything."""
    for move in list(board.legal_moves):
        board.push(move)
        forced = board.is_checkmate()
        if not forced and moves > 1 and not board.is_stalemate():
            forced = True
            for reply in list(board.legal_moves):
                board.push(reply)
                forced = mates(board, moves - 1)
                board.pop()
                if not forced:
                    break
        board.pop()
        if forced:
            return True
    return False


def test_every_problem_has_one_key() -> None:
    texts = problems()
    assert len(set(texts)) == len(texts) == 300
    for text in texts:
        problem = CHESS_MATES.from_text(text)
        assert CHESS_MATES.text(problem) == text
        assert problem.moves in (2, 3)
    for text in texts[::10]:
        problem = CHESS_MATES.from_text(text)
        assert len(keys(problem.state, problem.moves)) == 1
        assert not keys(problem.state, problem.moves - 1)


def test_python_chess_finds_the_same_mates() -> None:
    for text in [text for text in problems() if text.endswith("dm 2;")][::25]:
        board = chess.Board(f"{text[: text.index(' dm')]} 0 1")
        assert not mates(board, 1)
        assert mates(board, 2)


def test_answers_are_checked() -> None:
    problem = CHESS_MATES.from_text(BACK_RANK)
    key = CHESS_MATES.solution(problem, "a1a8")
    assert CHESS_MATES.answer(problem, key) == "a1a8"
    assert CHESS_MATES.steps(problem, key) == ["Ra8#"]
    assert "White mates in 1" in CHESS_MATES.svg(problem)
    with pytest.raises(IllegalMove, match="avoids mate in 1"):
        CHESS_MATES.solution(problem, "a1a7")
    with pytest.raises(IllegalMove, match="cannot move to g7"):
        CHESS_MATES.solution(problem, "g1g7")


def test_a_match_has_different_problems() -> None:
    texts = [CHESS_MATES.text(problem) for problem in CHESS_MATES.instances(4)]
    assert len(set(texts)) == INSTANCES
    assert texts != [CHESS_MATES.text(problem) for problem in CHESS_MATES.instances(5)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (BACK_RANK[:-1], "a problem is four fields of a FEN"),
        (BACK_RANK.replace("dm 1", "dm 9"), "the number of moves 1 to 3"),
        (BACK_RANK.replace("dm 1", "bm Ra8"), "a problem is four fields of a FEN"),
        (BACK_RANK.replace("6k1", "7k1"), "row 8 has 9 squares"),
    ],
)
def test_defects_of_problems_are_explained(text: str, sentence: str) -> None:
    with pytest.raises(BadPosition, match=sentence):
        CHESS_MATES.from_text(text)
