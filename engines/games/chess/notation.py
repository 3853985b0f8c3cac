"""Moves and positions as text: UCI for bots, SAN for people, FEN with the moves since.

A position is the FEN after the last irreversible move, then the moves made since, if there are any:
`FEN moves g1f3 g8f6`, as in the command `position fen` of UCI.
"""

from __future__ import annotations

import re
from typing import Any

import chess
import numpy as np

from engines.alphabeta.history import History, advance, begin
from engines.competition import BadPosition, IllegalMove
from engines.display.notation import quoted
from engines.games.chess.attacks import ONE
from engines.games.chess.board import QUIET_LIMIT, ChessState, kind_at
from engines.games.chess.fen import NAMES, SQUARES, read_fen, write_fen
from engines.games.chess.moves import write_moves
from engines.games.chess.rules import is_over

PROMOTED = {2: "n", 3: "b", 4: "r", 7: "q"}
PIECES = ("king", "pawn", "knight", "bishop", "rook", "", "", "queen")
SEPARATOR = " moves "

_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][nbrq]?")


def write_uci(state: ChessState, move: int) -> str:
    turned = 56 if state.seat else 0
    source, target = (move & 63) ^ turned, (move >> 6 & 63) ^ turned
    return f"{SQUARES[source]}{SQUARES[target]}{PROMOTED.get(move >> 12, '')}"


def read_uci(state: ChessState, text: str) -> int:
    """The number of a move that is written correctly, legal or not."""
    turned = 56 if state.seat else 0
    source, target = SQUARES.index(text[:2]) ^ turned, SQUARES.index(text[2:4]) ^ turned
    kind = next((kind for kind, letter in PROMOTED.items() if letter == text[4:]), 0)
    return source | target << 6 | kind << 12


def parse_move(state: ChessState, legal: Any, text: Any) -> int:
    """The legal move of that text; raises `IllegalMove` with the reason if there is none."""
    if not isinstance(text, str) or not _MOVE.fullmatch(text):
        raise IllegalMove(f"{quoted(text)} is not a move: write moves like e2e4, e1g1 or a7a8q")
    move = read_uci(state, text)
    if move in legal:
        return move
    if not legal:
        raise IllegalMove("the game is over")
    source = text[:2]
    here = ONE << np.uint64(move & 63)
    if not state.own & here:
        raise IllegalMove(f"there is no piece of {NAMES[state.seat]} on {source}")
    kind = kind_at(state, move & 63)
    base = move & 4095
    promotions = [other for other in legal if other & 4095 == base]
    if promotions and text[4:] == "":
        raise IllegalMove(f"a pawn that reaches the last row is promoted: write {text}q")
    if promotions:
        raise IllegalMove(f"{text} is no promotion: write {text[:4]}")
    if state.checkers:
        raise IllegalMove(f"{text} does not end the check")
    if kind == 0 and abs((move & 63) - (move >> 6 & 63)) == 2:
        raise IllegalMove(f"castling {text} is not possible now")
    if any(other & 63 == move & 63 for other in legal):
        raise IllegalMove(f"the {PIECES[kind]} on {source} cannot move to {text[2:4]} now")
    raise IllegalMove(f"the {PIECES[kind]} on {source} cannot move now")


def write_position(history: History, limit: int) -> str:
    start = history.start
    fen = write_fen(start, limit - start.left)
    if not history.moves:
        return fen
    state, texts = start, []
    for move in history.moves:
        texts.append(write_uci(state, move))
        state = state._replace(seat=1 - state.seat)  # text depends on nothing else
    return f"{fen}{SEPARATOR}{' '.join(texts)}"


def read_position(text: Any, limit: int) -> History:
    """Raises `BadPosition`."""
    if not isinstance(text, str):
        raise BadPosition(f"a position must be a text, not {quoted(text)}")
    fen, _, line = text[:1000].partition(SEPARATOR)
    history = begin(read_fen(fen, limit))
    moves = line.split(" ") if line else []
    if len(text) > 1000 or len(moves) > QUIET_LIMIT:
        raise BadPosition(f"after the FEN come at most {QUIET_LIMIT} moves")
    for number, move in enumerate(moves, start=1):
        try:
            history = advance(history, parse_move(history.board, legal_moves(history.board), move))
        except IllegalMove as error:
            raise BadPosition(f"move {number} after the FEN: {error}") from error
    return history


def legal_moves(state: ChessState) -> tuple[int, ...]:
    """The legal moves by the kernel, in the order of their texts."""
    if is_over(state):
        return ()
    stack = np.zeros(256, np.int64)
    moves = stack[: write_moves(state, stack, 0)].tolist()
    return tuple(sorted(moves, key=lambda move: write_uci(state, move)))


def write_san(state: ChessState, move: int) -> str:
    """The move in the notation of people, such as `Nbd7+`."""
    board = chess.Board(write_fen(state, 0))
    return board.san(chess.Move.from_uci(write_uci(state, move)))
