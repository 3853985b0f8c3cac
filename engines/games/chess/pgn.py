"""Played games as PGN."""

from __future__ import annotations

import chess
import chess.pgn

from engines.display.records import PGN_TERMINATIONS, GameRecord, clean


def write_pgn(record: GameRecord) -> str:
    """A game with its headers, in SAN, with the time of each move as `%emt`."""
    fen = record.start.partition(" moves ")[0]
    game = chess.pgn.Game()
    board = chess.Board(fen)
    if board.fen() != chess.STARTING_FEN:
        game.setup(board)
    headers = {
        "Event": record.event,
        "Site": record.place,
        "Date": f"{record.at:%Y.%m.%d}",
        "Round": "?",
        "White": record.players[0],
        "Black": record.players[1],
        "Result": _result(record),
        "Termination": PGN_TERMINATIONS[record.forfeit],
        "UTCTime": f"{record.at:%H:%M:%S}",
    }
    for name, value in headers.items():
        game.headers[name] = clean(value)
    node: chess.pgn.GameNode = game
    for move in record.moves:
        node = node.add_variation(chess.Move.from_uci(move.text))
        if move.seconds:
            node.set_emt(move.seconds)
    return f"{game}\n"


def _result(record: GameRecord) -> str:
    """PGN knows no shares: more than half of the point is a win, as between two players."""
    white, black = record.scores
    if white == black:
        return "1/2-1/2" if white else "*"  # no side scores if both are at fault
    return "1-0" if white > black else "0-1"
