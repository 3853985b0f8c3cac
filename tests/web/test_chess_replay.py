"""The replay of chess: moves in SAN, and the curve of the material."""

from __future__ import annotations

import chess
import pytest

from engines.games.chess.game import CHESS
from ladder.runner import play_job
from ladder.runner.replay import Replay, decode
from ladder.values import Entrant, Kind, MatchJob
from ladder.web.pictures.charts import LEFT, course_chart
from ladder.web.pictures.replays import Moment, show_replay


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Replay:
    entrants = Entrant("alphabeta-2", Kind.HOUSE, ""), Entrant("random", Kind.HOUSE, "")
    job = MatchJob(1, 1, CHESS.name, 3, entrants)
    return decode(play_job(job, tmp_path_factory.mktemp("chess"), None).replay)


def test_moves_are_shown_in_san_and_material_as_a_curve(document: Replay) -> None:
    shown = show_replay(document, Moment(ply=20))
    assert len(shown.texts) == len(document.moves)
    assert len(shown.values) == len(document.moves) + 1
    board = chess.Board()
    for number, (move, text) in enumerate(zip(document.moves, shown.texts, strict=True)):
        assert move.move is not None
        worth = {
            chess.PAWN: 1,
            chess.KNIGHT: 3.2,
            chess.BISHOP: 3.3,
            chess.ROOK: 5,
            chess.QUEEN: 9.5,
        }
        ahead = sum(
            worth.get(piece.piece_type, 0) * (1 if piece.color else -1)
            for piece in board.piece_map().values()
        )
        assert shown.values[number] == pytest.approx(ahead)
        assert text == board.san(chess.Move.from_uci(move.move))
        board.push_uci(move.move)
    assert shown.graph == "Material"


def test_the_curve_has_one_step_per_move() -> None:
    chart = course_chart([0, 0, 1, -2])
    assert chart is not None
    assert chart.most == 2
    assert chart.line.startswith(f"M{LEFT} 55.0H{LEFT}.0V55.0")
    assert chart.line.count("H") == 4
    assert course_chart([0, 0]) is None
    assert course_chart([]) is None
