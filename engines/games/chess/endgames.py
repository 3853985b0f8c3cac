"""The starts of chess endgames, after chapter 4 of Sipper's "Evolved to Win".

Both sides have the same pieces, no piece is attacked, and White moves. The seed fixes the start, so
the two games of a pairing begin from one position. After fifty moves, the game ends: then a side
with more material has 3/4 of a point, and the other 1/4.
"""

from __future__ import annotations

import random

from engines.alphabeta import kernels
from engines.games.chess.attacks import NONE
from engines.games.chess.board import ChessState, far_danger, near_danger
from engines.games.chess.rules import assemble, pass_turn

KINDS = ("R", "RR", "Q", "QR")
"""The pieces of each side besides the king: KRKR, KRRKRR, KQKQ, KQRKQR."""
PLIES = 100
"""Fifty moves of each side."""


def draw_start(seed: int) -> ChessState:
    """The start of that seed."""
    draw = random.Random(seed)
    pieces = draw.choice(KINDS)
    while True:
        squares = draw.sample(range(64), 2 * len(pieces) + 2)
        state = _placed(pieces, squares)
        after = pass_turn(state)
        if _is_quiet(state) and _is_quiet(after) and kernels.mobility(state) > 0:
            return state


def _placed(pieces: str, squares: list[int]) -> ChessState:
    """Kings on the first two squares, then White's pieces, then Black's."""
    sides = squares[2 : 2 + len(pieces)], squares[2 + len(pieces) :]
    boards = dict.fromkeys(("white", "black", "pawns", "knights", "diagonals", "straights"), 0)
    for name, king, side in zip(("white", "black"), squares, sides, strict=False):
        boards[name] |= 1 << king
        for kind, square in zip(pieces, side, strict=True):
            boards[name] |= 1 << square
            boards["straights"] |= 1 << square
            if kind == "Q":
                boards["diagonals"] |= 1 << square
    return assemble(boards, rights=0, passant=0, quiet=0, seat=0, left=PLIES)


def _is_quiet(state: ChessState) -> bool:
    """Whether the enemy attacks no piece of the mover."""
    danger = near_danger(state) | far_danger(state, state.own | state.enemy)
    return bool(state.own & danger == NONE)
