"""Reversi (Othello) on 8x8: rules, notation, evaluations, picture and house bots.

Square a1 is bit 0, b1 bit 1, a2 bit 8, h8 bit 63. Black (`x`, seat 0) moves first. A side that
cannot place a disc passes, which is a move; the game ends when neither side can place a disc.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from engines.alphabeta import kernels
from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.contests import RANDOM_MOVER, Opening, Searcher
from engines.alphabeta.evaluators import Inputs
from engines.alphabeta.kernels import Boards, Moves
from engines.alphabeta.programs import BoardPrograms
from engines.competition import IllegalMove, Outcome
from engines.compiling.bits import Bits, lowest, mix, popcount
from engines.compiling.jit import jitable
from engines.display.drawing import MARK, disc, grid, group, labels, panel, picture
from engines.display.notation import quoted, split_position
from engines.display.records import GGF, GameRecord, write_ggf
from engines.programs.board import BASICS, FUNCTIONS
from engines.programs.primitives import PrimitiveSet, located, terminal

PASS = 64
SIDES = "xo"
NAMES = ("Black", "White")
FILES = "abcdefgh"
SQUARES = tuple(f"{file}{rank}" for rank in range(1, 9) for file in FILES)

NONE = np.uint64(0)
ONE = np.uint64(1)
ROW = np.uint64(8)
FALLING = np.uint64(7)
RISING = np.uint64(9)
INNER = np.uint64(0x7E7E7E7E7E7E7E7E)
"""All squares except the files a and h: horizontal lines cannot enclose discs there."""
START = (np.uint64(0x0000000810000000), np.uint64(0x0000001008000000))

CORNERS = np.uint64(0x8100000000000081)
EDGES = np.uint64(0x3C0081818181003C)
"""Border squares that do not touch a corner."""
BESIDE_CORNERS = np.uint64(0x4281000000008142)
DIAGONAL_TO_CORNERS = np.uint64(0x0042000000004200)
CENTRE = np.uint64(0x00003C3C3C3C0000)

EVALUATIONS = DISCS, SQUARES_WORTH, MOBILITY, CORNERS_LOW, CORNERS_HIGH = 0, 1, 2, 3, 4
"""Evaluations: difference in discs; value of squares; corners, mobility and frontier; discs with a
small and a large bonus for corners."""
LOW_BONUS, HIGH_BONUS = 5, 10
COUNTING = range(CORNERS_LOW, CORNERS_HIGH + 1)

# Inputs of programs: Table 1 of Benbassat, Elyasaf and Sipper's paper on three games.
ENEMY_MEN, MY_MEN, MEN, MOVES, WHOLE = range(5)
EMPTY, FRIENDLY, MAN, BOARDS = range(4)
INPUTS = Inputs(WHOLE, tuple(range(64)), BOARDS)
PLACES = (range(1, 9), range(1, 9))
PRIMITIVES = PrimitiveSet(
    "reversi",
    (
        *BASICS,
        terminal("EnemyManCount", ENEMY_MEN, about="discs of the other side"),
        terminal("FriendlyManCount", MY_MEN, about="own discs"),
        terminal("ManCount", MEN, about="own discs less those of the other side"),
        terminal("Mobility", MOVES, about="the number of moves that the mover has"),
        located("IsEmptySquare", INPUTS.of_board(EMPTY), PLACES, about="no disc is there"),
        located("IsFriendlyPiece", INPUTS.of_board(FRIENDLY), PLACES, about="an own disc is there"),
        located("IsManPiece", INPUTS.of_board(MAN), PLACES, about="a disc of either side is there"),
        *FUNCTIONS,
    ),
)


class ReversiState(NamedTuple):
    """Boards of the side to move and of the other, and the seat to move."""

    mover: Bits
    other: Bits
    seat: int


@jitable
def _reach(mover: Bits, inner: Bits, shift: Bits) -> Bits:
    """Squares one step behind an unbroken line of `inner` discs that starts next to a `mover`."""
    up = inner & (mover << shift)
    down = inner & (mover >> shift)
    for _ in range(5):
        up |= inner & (up << shift)
        down |= inner & (down >> shift)
    return (up << shift) | (down >> shift)


@jitable
def placements(mover: Bits, other: Bits) -> Bits:
    """All squares on which `mover` may place a disc."""
    sideways = other & INNER
    reached = (
        _reach(mover, sideways, ONE)
        | _reach(mover, other, ROW)
        | _reach(mover, sideways, FALLING)
        | _reach(mover, sideways, RISING)
    )
    return reached & ~(mover | other)


@jitable
def _turned(disc: Bits, mover: Bits, inner: Bits, shift: Bits) -> Bits:
    """Discs of `inner` on one axis that a new `disc` encloses with another of `mover`."""
    up = inner & (disc << shift)
    down = inner & (disc >> shift)
    for _ in range(5):
        up |= inner & (up << shift)
        down |= inner & (down >> shift)
    if (up << shift) & mover == NONE:
        up = NONE
    if (down >> shift) & mover == NONE:
        down = NONE
    return up | down


@jitable
def flips(disc: Bits, mover: Bits, other: Bits) -> Bits:
    """The discs of `other` that turn over when `mover` places `disc`."""
    sideways = other & INNER
    return (
        _turned(disc, mover, sideways, ONE)
        | _turned(disc, mover, other, ROW)
        | _turned(disc, mover, sideways, FALLING)
        | _turned(disc, mover, sideways, RISING)
    )


@kernels.moves.register(ReversiState)
def _moves(state: ReversiState, stack: Moves, start: int) -> int:
    left = placements(state.mover, state.other)
    if left == NONE and placements(state.other, state.mover) != NONE:
        stack[start] = PASS
        return start + 1
    end = start
    while left != NONE:
        stack[end] = lowest(left)
        left &= left - ONE
        end += 1
    return end


@kernels.mobility.register(ReversiState)
def _mobility(state: ReversiState) -> int:
    count = popcount(placements(state.mover, state.other))
    if count == 0 and placements(state.other, state.mover) != NONE:
        return 1
    return count


@kernels.play.register(ReversiState)
def _play(state: ReversiState, move: int) -> ReversiState:
    if move == PASS:
        return ReversiState(state.other, state.mover, 1 - state.seat)
    disc = ONE << np.uint64(move)
    turned = flips(disc, state.mover, state.other)
    return ReversiState(state.other ^ turned, state.mover | disc | turned, 1 - state.seat)


@kernels.over.register(ReversiState)
def _over(state: ReversiState) -> bool:
    if placements(state.mover, state.other) != NONE:
        return False
    return bool(placements(state.other, state.mover) == NONE)


@kernels.result.register(ReversiState)
def _result(state: ReversiState) -> int:
    """The difference in discs; empty squares count for the winner, as in tournaments."""
    mine, theirs = popcount(state.mover), popcount(state.other)
    if mine == theirs:
        return 0
    empty = 64 - mine - theirs
    return mine - theirs + empty if mine > theirs else mine - theirs - empty


@kernels.key.register(ReversiState)
def _key(state: ReversiState) -> Bits:
    return mix(state.mover ^ mix(state.other))


@jitable
def _worth(own: Bits, empty: Bits) -> int:
    """The value of the own squares. Squares next to a corner are bad only if it is empty."""
    return (
        90 * popcount(own & CORNERS)
        + 6 * popcount(own & EDGES)
        + 2 * popcount(own & CENTRE)
        - 12 * popcount(own & BESIDE_CORNERS & _neighbours(empty & CORNERS))
        - 30 * popcount(own & DIAGONAL_TO_CORNERS & _neighbours(empty & CORNERS))
    )


@jitable
def _neighbours(board: Bits) -> Bits:
    """The squares next to `board`, and possibly squares of it."""
    sideways = ((board & ~np.uint64(0x8080808080808080)) << ONE) | (
        (board & ~np.uint64(0x0101010101010101)) >> ONE
    )
    wide = board | sideways
    return sideways | (wide << ROW) | (wide >> ROW)


@kernels.evaluate.register(ReversiState)
def _evaluate(state: ReversiState, evaluation: int) -> int:
    mover, other = state.mover, state.other
    discs = popcount(mover) - popcount(other)
    if evaluation == DISCS:
        return discs
    if evaluation >= CORNERS_LOW:
        corners = popcount(mover & CORNERS) - popcount(other & CORNERS)
        return discs + (LOW_BONUS if evaluation == CORNERS_LOW else HIGH_BONUS) * corners
    empty = ~(mover | other)
    worth = _worth(mover, empty) - _worth(other, empty)
    if evaluation == SQUARES_WORTH:
        return worth
    choice = popcount(placements(mover, other)) - popcount(placements(other, mover))
    beside_empty = _neighbours(empty)
    # The other side can later turn over discs next to empty squares.
    exposed = popcount(mover & beside_empty) - popcount(other & beside_empty)
    late = max(0, 20 - popcount(empty))
    return worth + 8 * choice - 4 * exposed + late * discs


@kernels.look.register(ReversiState)
def _look(state: ReversiState, wanted: int, inputs: Any) -> None:
    mine, theirs = popcount(state.mover), popcount(state.other)
    inputs[ENEMY_MEN], inputs[MY_MEN], inputs[MEN] = theirs, mine, mine - theirs
    if wanted & (1 << MOVES) != 0:
        inputs[MOVES] = kernels.mobility(state)


@kernels.boards.register(ReversiState)
def _show(state: ReversiState, boards: Boards) -> int:
    taken = state.mover | state.other
    boards[EMPTY], boards[FRIENDLY], boards[MAN] = ~taken, state.mover, taken
    return 0


class Reversi(BoardGame[ReversiState]):
    """Reversi for the ladder."""

    name = "reversi"
    title = "Reversi"
    draw_probability = 0.04
    house_revision = 3
    sides = NAMES

    # The shortest possible game has nine moves, so no opening ends it.
    opening_rule = Opening((4, 6))
    searchers = MappingProxyType(
        {
            "random": RANDOM_MOVER,
            "greedy": Searcher(1, DISCS),
            "alphabeta-2": Searcher(2, COUNTING),
            "alphabeta-3": Searcher(3, COUNTING),
            "expert-1": Searcher(1, SQUARES_WORTH),
            "alphabeta-5": Searcher(5, COUNTING),
            "alphabeta-7": Searcher(7, COUNTING),
            "expert-3": Searcher(3, MOBILITY),
            "expert-5": Searcher(5, MOBILITY),
            "expert-7": Searcher(7, MOBILITY),
        }
    )
    programs = BoardPrograms(name, PRIMITIVES, INPUTS)
    record_format = GGF

    def start(self, seed: int, seats: int = 2) -> ReversiState:
        return ReversiState(*START, 0)

    def legal(self, state: ReversiState) -> Sequence[int]:
        stack = kernels.new_stack(64)
        return tuple(stack[: kernels.moves(state, stack, 0)].tolist())

    def outcome(self, state: ReversiState) -> Outcome | None:
        if not kernels.over(state):
            return None
        black, white = self._discs(state)
        if black == white:
            return Outcome((0.5, 0.5), f"Both have {black} discs")
        winner = int(white > black)
        return Outcome(
            (float(black > white), float(white > black)),
            f"{NAMES[winner]} has more discs, {max(black, white)} to {min(black, white)}",
        )

    def format(self, state: ReversiState, move: int) -> str:
        return "pass" if move == PASS else SQUARES[move]

    def parse(self, state: ReversiState, text: str) -> int:
        legal = self.legal(state)
        if text != "pass" and text not in SQUARES:
            raise IllegalMove(f"{quoted(text)} is neither a square from a1 to h8 nor 'pass'")
        move = PASS if text == "pass" else SQUARES.index(text)
        if move in legal:
            return move
        if not legal:
            raise IllegalMove("the game is over")
        if move == PASS:
            raise IllegalMove("a side that can place a disc may not pass")
        if legal == (PASS,):
            raise IllegalMove(
                f"{text} turns no disc over; no square does, so the only move is 'pass'"
            )
        if (state.mover | state.other) >> np.uint64(move) & ONE:
            raise IllegalMove(f"{text} is taken")
        raise IllegalMove(f"{text} turns no disc over")

    def position(self, state: ReversiState) -> str:
        return f"{''.join(self._rows(state))} {SIDES[state.seat]}"

    def from_position(self, text: str) -> ReversiState:
        board, seat = split_position(text, 64, SIDES + "-", SIDES)
        mover, other = (
            np.uint64(sum(1 << square for square in range(64) if board[square] == side))
            for side in (SIDES[seat], SIDES[1 - seat])
        )
        return ReversiState(mover, other, seat)

    def observation(self, state: ReversiState, seat: int) -> dict[str, Any]:
        black, white = self._discs(state)
        return {
            "mark": SIDES[seat],
            "board": self._rows(state),
            "discs": {"x": black, "o": white},
        }

    def svg(self, state: ReversiState, last: int | None = None) -> str:
        black, white = self._boards(state)
        said = "over" if kernels.over(state) else f"{NAMES[state.seat]} to move"
        counts = f"Black {popcount(black)}, White {popcount(white)}"
        marked = [] if last in (None, PASS) else [disc(last % 8, last // 8, 2.5)]
        return picture(
            f"Reversi, {said}: {counts}",
            8,
            8,
            [
                panel(8, 8, "#2f7d55"),
                grid(8, 8, "#1f5a3c"),
                group(_drawn(black), fill="#16181b"),
                group(_drawn(white), fill="#f3f2ec"),
                group(marked, fill=MARK),
                labels(FILES, "12345678"),
            ],
        )

    def write_record(self, record: GameRecord) -> str:
        state = self.start(0)
        rows = self._rows(state)
        board = " ".join(["8", *rows, SIDES[0]]).translate(str.maketrans("xo", "*O"))
        for move in record.moves:
            state = self.play(state, self.parse(state, move.text))
        score = float(kernels.result(state)) * (1 if state.seat == 0 else -1)
        if record.forfeit:
            score = 64 * (record.scores[0] - record.scores[1])
        moves = [
            replace(move, text="PA" if move.text == "pass" else move.text.upper())
            for move in record.moves
        ]
        return write_ggf(replace(record, moves=moves), "Othello", board, score)

    def _boards(self, state: ReversiState) -> tuple[Bits, Bits]:
        """Black's and White's discs."""
        if state.seat == 0:
            return state.mover, state.other
        return state.other, state.mover

    def _discs(self, state: ReversiState) -> tuple[int, int]:
        black, white = self._boards(state)
        return popcount(black), popcount(white)

    def _rows(self, state: ReversiState) -> list[str]:
        black, white = (int(board) for board in self._boards(state))
        cells = [SIDES[white >> i & 1] if (black | white) >> i & 1 else "-" for i in range(64)]
        return ["".join(cells[row : row + 8]) for row in range(0, 64, 8)]


def _drawn(board: Bits) -> list[str]:
    return [disc(i % 8, i // 8, 8.5) for i in range(64) if int(board) >> i & 1]


REVERSI = Reversi()
