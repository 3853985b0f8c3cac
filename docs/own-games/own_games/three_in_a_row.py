"""Three in a row on 3x3 squares: a board game whose house bots search.

Square a1 is bit 0, b1 bit 1, a2 bit 3, c3 bit 8. A move is the number of a square.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from engines.alphabeta import kernels
from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.contests import RANDOM_MOVER, Opening, Searcher
from engines.competition import BadPosition, Outcome
from engines.compiling.bits import Bits, mix, popcount
from engines.compiling.jit import jitable
from engines.display.drawing import disc, grid, group, labels, panel, picture

ONE = np.uint64(1)
ALL = np.uint64(0b111_111_111)
LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o124, 0o421)
SQUARES = tuple(f"{file}{rank}" for rank in "123" for file in "abc")


class Discs(NamedTuple):
    """A position: the discs of the mover and of the other, and the seat that moves."""

    own: Bits
    enemy: Bits
    seat: int


@jitable
def has_line(discs: Bits) -> bool:
    found = False
    for line in LINES:
        found |= discs & np.uint64(line) == np.uint64(line)
    return found


@kernels.over.register(Discs)
def _over(state: Discs) -> bool:
    return has_line(state.enemy) or state.own | state.enemy == ALL


@kernels.moves.register(Discs)
def _moves(state: Discs, stack: Any, start: int) -> int:
    if kernels.over(state):
        return start
    for square in range(9):
        if (state.own | state.enemy) >> np.uint64(square) & ONE == np.uint64(0):
            stack[start] = square
            start += 1
    return start


@kernels.mobility.register(Discs)
def _mobility(state: Discs) -> int:
    return 0 if kernels.over(state) else 9 - popcount(state.own | state.enemy)


@kernels.play.register(Discs)
def _play(state: Discs, move: int) -> Discs:
    return Discs(state.enemy, state.own | ONE << np.uint64(move), 1 - state.seat)


@kernels.result.register(Discs)
def _result(state: Discs) -> int:
    return -1 if has_line(state.enemy) else 0


@kernels.evaluate.register(Discs)
def _evaluate(state: Discs, evaluation: int) -> int:
    """Count the lines that are still open to the mover, minus those open to the other."""
    worth = 0
    for line in LINES:
        worth += state.enemy & np.uint64(line) == np.uint64(0)
        worth -= state.own & np.uint64(line) == np.uint64(0)
    return worth


@kernels.key.register(Discs)
def _key(state: Discs) -> Bits:
    return mix(state.own ^ mix(state.enemy ^ mix(np.uint64(state.seat + 1))))


class ThreeInARow(BoardGame[Discs]):
    name = "three-in-a-row"
    title = "Three in a Row"
    draw_probability = 0.5
    sides = ("X", "O")
    opening_rule = Opening(plies=(1, 2))
    searchers = MappingProxyType(
        {
            "random": RANDOM_MOVER,
            "greedy": Searcher(1),
            **{f"search-{depth}": Searcher(depth) for depth in (2, 3, 5)},
            "perfect": Searcher(9),
        }
    )

    def start(self, seed: int, seats: int = 2) -> Discs:
        return Discs(np.uint64(0), np.uint64(0), 0)

    def outcome(self, state: Discs) -> Outcome | None:
        if not kernels.over(state):
            return None
        scores = (float(kernels.score(state, 0)), float(kernels.score(state, 1)))
        return Outcome(scores, "The board is full" if scores[0] == 0.5 else "Three in a row")

    def format(self, state: Discs, move: int) -> str:
        return SQUARES[move]

    def position(self, state: Discs) -> str:
        """The nine squares from a1 on, and the side that moves: `x..o..... x`."""
        signs = "xo" if state.seat == 0 else "ox"
        text = ""
        for square in range(9):
            bit = ONE << np.uint64(square)
            text += signs[0] if state.own & bit else signs[1] if state.enemy & bit else "."
        return f"{text} {signs[0]}"

    def from_position(self, text: str) -> Discs:
        board, _, mover = text.partition(" ")
        if len(board) != 9 or set(board) - set("xo.") or mover not in ("x", "o"):
            raise BadPosition("a position is nine squares of x, o or ., a blank, and x or o")
        discs = [sum(1 << i for i in range(9) if board[i] == sign) for sign in "xo"]
        seat = "xo".index(mover)
        return Discs(np.uint64(discs[seat]), np.uint64(discs[1 - seat]), seat)

    def svg(self, state: Discs, last: int | None = None) -> str:
        board = self.position(state)
        places = {sign: [i for i in range(9) if board[i] == sign] for sign in "xo"}
        discs = [
            group([disc(i % 3, 2 - i // 3, 7) for i in places[sign]], fill=colour)
            for sign, colour in (("x", "#c0392b"), ("o", "#2471a3"))
        ]
        ground = [panel(3, 3, "#e8e0d0"), grid(3, 3, "#a09880")]
        return picture(self.title, 3, 3, [*ground, *discs, labels("abc", "321")])


THREE_IN_A_ROW = ThreeInARow()
