"""Moves and positions of the checkers family as text: PDN numbers, one character per square."""

from __future__ import annotations

import re
from typing import Any

from engines.competition import BadPosition, IllegalMove
from engines.compiling.bits import Bits
from engines.display.notation import quoted, split_position
from engines.games.checkers.board import Board
from engines.games.checkers.rules import (
    BIT_MASK,
    DOWN_NEAR,
    PATH_SHIFT,
    QUIET_LIMIT,
    UP_NEAR,
    State,
    jumps_of,
)
from engines.games.checkers.variants import Variant

SIDES = "bw"
EMPTY = "."
CELLS = "bBwW."

_MOVE = re.compile(r"[1-9][0-9]?(?:-[1-9][0-9]?|(?:x[1-9][0-9]?){1,16})")
_QUIET = re.compile(r" ([1-9][0-9]?)")


def path(board: Board, move: int) -> list[int]:
    """The squares on which a move starts and lands, counted from 0."""
    jumps, ways, bit = jumps_of(move), move >> PATH_SHIFT, move & BIT_MASK
    if jumps == 0:
        return [board.square(bit), board.square(move >> 6 & BIT_MASK)]
    squares = [board.square(bit)]
    for _ in range(jumps):
        way, ways = ways & 3, ways >> 2
        distance = int(board.near if way in (DOWN_NEAR, UP_NEAR) else board.far)
        bit += 2 * distance if way >= UP_NEAR else -2 * distance
        squares.append(board.square(bit))
    return squares


def format_move(board: Board, move: int) -> str:
    return ("x" if jumps_of(move) else "-").join(str(s + 1) for s in path(board, move))


def parse_move(board: Board, state: State, legal: dict[str, int], text: Any) -> int:
    """The legal move of that text; raises `IllegalMove` with the reason if there is none."""
    if isinstance(text, str) and text in legal:
        return legal[text]
    if not isinstance(text, str) or not _MOVE.fullmatch(text):
        raise IllegalMove(f"{quoted(text)} is not a move: write moves like 9-14 or 9x18x25")
    if not legal:
        raise IllegalMove("the game is over")
    numbers = [int(number) for number in re.split("[-x]", text)]
    beyond = next((number for number in numbers if number > board.squares), None)
    if beyond is not None:
        raise IllegalMove(f"{beyond} is not a square from 1 to {board.squares}")
    if not int(state.mover) >> board.bit(numbers[0] - 1) & 1:
        raise IllegalMove(f"there is no piece of {SIDES[state.seat]} on {numbers[0]}")
    captures = [known for known in legal if "x" in known]
    if captures and "-" in text:
        raise IllegalMove(f"a capture is due, such as {captures[0]}")
    longer = next((known for known in captures if known.startswith(f"{text}x")), None)
    if longer is not None:
        raise IllegalMove(f"the jump {text} must continue: {longer}")
    ends = {(known.split("x")[0], known.split("x")[-1]) for known in captures}
    if (str(numbers[0]), str(numbers[-1])) in ends:
        raise IllegalMove(f"{text} leaves out squares: a jump is written with all of its path")
    raise IllegalMove(f"the piece on {numbers[0]} cannot move so")


def cells(board: Board, state: State) -> str:
    black, white = (state.mover, state.other) if state.seat == 0 else (state.other, state.mover)

    def char(square: int) -> str:
        bit, king = board.bit(square), int(state.kings) >> board.bit(square) & 1
        if int(black) >> bit & 1:
            return "B" if king else "b"
        return ("W" if king else "w") if int(white) >> bit & 1 else EMPTY

    return "".join(map(char, range(board.squares)))


def format_position(board: Board, state: State) -> str:
    quiet = f" {state.quiet}" if state.quiet else ""
    return f"{cells(board, state)} {SIDES[state.seat]}{quiet}"


def parse_position(variant: Variant, text: Any) -> State:
    """The state of a text `CELLS SIDE [QUIET]`; raises `BadPosition`."""
    board = variant.board
    quiet, head = 0, board.squares + 2
    if isinstance(text, str) and len(text) > head:
        counted = _QUIET.fullmatch(text[head : head + 4])
        if counted is None or len(text) > head + 3 or int(counted[1]) > QUIET_LIMIT:
            raise BadPosition(
                f"after {board.squares} cells, a space and the side to move comes at most a space"
                f" and the plies without progress, 1 to {QUIET_LIMIT};"
                f" the text has {len(text)} characters"
            )
        quiet, text = int(counted[1]), text[:head]
    squares, seat = split_position(text, board.squares, CELLS, SIDES)
    _check_pieces(board, squares)
    mover, other = (_pieces(board, squares, side) for side in (SIDES[seat], SIDES[1 - seat]))
    kings = board.bits(s for s in range(board.squares) if squares[s] in "BW")
    return variant.state(mover, other, kings, seat, quiet)  # type: ignore[no-any-return]


def _check_pieces(board: Board, squares: str) -> None:
    if not squares.strip(EMPTY):
        raise BadPosition("the board is empty")
    for side in SIDES:
        count = squares.lower().count(side)
        if count > board.pieces:
            raise BadPosition(f"{side} has {count} pieces; a side has at most {board.pieces}")
    half = board.size // 2
    for side, last_row in (("b", range(board.squares - half, board.squares)), ("w", range(half))):
        for square in last_row:
            if squares[square] == side:
                raise BadPosition(
                    f"the man of {side} on {square + 1} would have been crowned there"
                )


def _pieces(board: Board, squares: str, side: str) -> Bits:
    return board.bits(s for s in range(board.squares) if squares[s].lower() == side)
