"""Positions as FEN: reading them with one sentence for each defect, and writing them.

An en-passant square is written only if that capture is legal.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from engines.competition import BadPosition
from engines.compiling.bits import flipped
from engines.display.notation import quoted
from engines.games.chess.attacks import king_attacks
from engines.games.chess.board import ChessState, kind_at, kings
from engines.games.chess.rules import assemble, pass_turn

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
SIDES = "wb"
NAMES = ("White", "Black")
FILES = "abcdefgh"
SQUARES = tuple(f"{file}{rank}" for rank in range(1, 9) for file in FILES)
LETTERS = "kpnbr__q"
"""Letters of pieces by kind."""
RIGHTS = {"K": 7, "Q": 0, "k": 63, "q": 56}
"""The rook's square of each castling right."""
HOMES = {"K": 4, "Q": 4, "k": 60, "q": 60}
"""The king's square of each."""
AT_FIRST = {"q": 1, "r": 2, "b": 2, "n": 2}
"""Pieces of a side at the start; further ones are promoted pawns."""
MOST_MOVES = 9999
"""The largest number of a move."""

MOST_QUIET = 150
"""Elsewhere a player must claim the draw after fifty moves, and arbiters end the game after 75."""

_NUMBER = re.compile(r"0|[1-9][0-9]{0,3}")
_FIELDS = ("the board", "the side to move", "castling", "en passant", "the two numbers")


def cells(state: ChessState) -> list[str]:
    """The letters of the 64 squares from a1 on, seen by White; a dot is an empty square."""
    turned = 56 if state.seat else 0
    found = []
    for square in range(64):
        seen = np.uint64(square ^ turned)
        if (state.own | state.enemy) >> seen & np.uint64(1):
            letter = LETTERS[kind_at(state, square ^ turned)]
            mine = bool(state.own >> seen & np.uint64(1))
            found.append(letter.upper() if mine == (state.seat == 0) else letter)
        else:
            found.append(".")
    return found


def write_fen(state: ChessState, plies: int) -> str:
    """The FEN of a position that is reached after this number of plies."""
    chars = cells(state)
    rows = []
    for row in range(7, -1, -1):
        text = "".join(chars[8 * row : 8 * row + 8])
        rows.append(re.sub(r"\.+", lambda empty: str(len(empty[0])), text))
    rights, passant = int(_by_white(state, state.rights)), int(_by_white(state, state.passant))
    castling = "".join(letter for letter, rook in RIGHTS.items() if rights >> rook & 1) or "-"
    behind = SQUARES[passant.bit_length() - 1] if passant else "-"
    side = SIDES[state.seat]
    return f"{'/'.join(rows)} {side} {castling} {behind} {int(state.quiet)} {plies // 2 + 1}"


def _by_white(state: ChessState, bits: Any) -> Any:
    return flipped(bits) if state.seat else bits


def read_fen(text: Any, limit: int) -> ChessState:
    """The position of a FEN, in a game of `limit` plies. Raises `BadPosition`."""
    if not isinstance(text, str):
        raise BadPosition(f"a position must be a text, not {quoted(text)}")
    fields = text[:200].split(" ")
    if len(text) > 120 or len(fields) != 6:
        raise BadPosition(
            f"a FEN has six fields of at most 120 characters in all ({', '.join(_FIELDS)}),"
            f" not {quoted(text)}"
        )
    board, side, castling, passant, quiet, number = fields
    letters = _read_board(board)
    if side not in ("w", "b"):
        raise BadPosition(f"the side to move is 'w' or 'b', not {quoted(side)}")
    seat = SIDES.index(side)
    _check_pieces(letters)
    rights = _read_castling(castling, letters)
    behind = _read_passant(passant, letters, seat)
    half = _read_number(quiet, "of plies since a capture or a pawn's move", 0, MOST_QUIET)
    full = _read_number(number, "of the move", 1, MOST_MOVES)
    boards = {
        "white": _where(letters, str.isupper),
        "black": _where(letters, str.islower),
        "pawns": _where(letters, lambda one: one in "pP"),
        "knights": _where(letters, lambda one: one in "nN"),
        "diagonals": _where(letters, lambda one: one in "bBqQ"),
        "straights": _where(letters, lambda one: one in "rRqQ"),
    }
    state = assemble(boards, rights, behind, half, seat, limit - 2 * (full - 1) - seat)
    _check_safety(state)
    return state


def _where(letters: list[str], holds: Any) -> int:
    return sum(1 << square for square, one in enumerate(letters) if one != "." and holds(one))


def _read_board(text: str) -> list[str]:
    rows = text.split("/")
    if len(rows) != 8:
        raise BadPosition(f"the board has eight rows with / between them, not {len(rows)}")
    found: list[str] = []
    for number, row in zip(range(8, 0, -1), rows, strict=True):
        for char in row:
            if char not in "12345678pnbrqkPNBRQK":
                raise BadPosition(
                    f"row {number} has {char!r}; a row has pieces (PNBRQK or pnbrqk) and numbers"
                    " of empty squares"
                )
        if re.search("[1-8][1-8]", row):
            raise BadPosition(f"row {number} has two numbers side by side: write their sum")
        squares = re.sub("[1-8]", lambda empty: "." * int(empty[0]), row)
        if len(squares) != 8:
            raise BadPosition(f"row {number} has {len(squares)} squares instead of 8")
        found = [*squares, *found]
    return found


def _check_pieces(letters: list[str]) -> None:
    _check_side("White", [one.lower() for one in letters if one.isupper()])
    _check_side("Black", [one for one in letters if one.islower()])
    for square in (*range(8), *range(56, 64)):
        if letters[square] in "pP":
            raise BadPosition(f"there is a pawn on {SQUARES[square]}: none stands on the last rows")


def _check_side(name: str, pieces: list[str]) -> None:
    kings, pawns = pieces.count("k"), pieces.count("p")
    if kings != 1:
        raise BadPosition(f"{name} has {kings} kings instead of one")
    if pawns > 8:
        raise BadPosition(f"{name} has {pawns} pawns; a side has at most 8")
    if len(pieces) > 16:
        raise BadPosition(f"{name} has {len(pieces)} pieces; a side has at most 16")
    extra = sum(max(0, pieces.count(kind) - most) for kind, most in AT_FIRST.items())
    if extra > 8 - pawns:
        raise BadPosition(
            f"{name} has {extra} promoted pieces and {pawns} pawns; both come from 8 pawns"
        )


def _read_castling(text: str, letters: list[str]) -> int:
    if text == "-":
        return 0
    if not text or set(text) - set(RIGHTS):
        hint = ""
        if text and not set(text) - set("ABCDEFGHabcdefghKQkq"):
            hint = "; the letters of files of Chess960 are not known here"
        raise BadPosition(f"castling is '-' or letters of KQkq, not {quoted(text)}{hint}")
    if len(set(text)) != len(text):
        raise BadPosition(f"castling names a right twice: {quoted(text)}")
    if list(text) != [letter for letter in RIGHTS if letter in text]:
        raise BadPosition(f"castling has the order KQkq, not {quoted(text)}")
    for letter in text:
        king, rook = ("K", "R") if letter.isupper() else ("k", "r")
        if letters[HOMES[letter]] != king or letters[RIGHTS[letter]] != rook:
            raise BadPosition(
                f"castling {letter!r} needs a king on {SQUARES[HOMES[letter]]} and a rook on"
                f" {SQUARES[RIGHTS[letter]]}"
            )
    return sum(1 << RIGHTS[letter] for letter in text)


def _read_passant(text: str, letters: list[str], seat: int) -> int:
    if text == "-":
        return 0
    if text not in SQUARES:
        raise BadPosition(f"the en-passant square is '-' or a square, not {quoted(text)}")
    row, step = ("6", 8) if seat == 0 else ("3", -8)
    if text[1] != row:
        raise BadPosition(
            f"if {NAMES[seat]} moves, an en-passant square is on row {row}, not {text}"
        )
    square = SQUARES.index(text)
    pawn = "p" if seat == 0 else "P"
    if letters[square - step] != pawn or letters[square] != "." or letters[square + step] != ".":
        raise BadPosition(
            f"en passant on {text} needs a pawn on {SQUARES[square - step]} that came from"
            f" {SQUARES[square + step]}"
        )
    return 1 << square


def _read_number(text: str, what: str, least: int, most: int) -> int:
    if not _NUMBER.fullmatch(text) or not least <= int(text) <= most:
        raise BadPosition(f"the number {what} is {least} to {most}, not {quoted(text)}")
    return int(text)


def _check_safety(state: ChessState) -> None:
    """The side that has just moved is not in check, and a check is one that a move can give."""
    if king_attacks(kings(state) & state.own) & kings(state) & state.enemy:
        raise BadPosition("the two kings stand side by side")
    if pass_turn(state).checkers:
        raise BadPosition(
            f"{NAMES[1 - state.seat]} is in check, but {NAMES[state.seat]} is to move"
        )
    count = int(state.checkers).bit_count()
    if count > 2:
        raise BadPosition(f"{count} pieces give check; one move gives at most two checks")
