"""Connect Four on seven columns of six: rules, notation, evaluations, picture and house bots.

Each column takes seven bits, from the bottom up, of which the seventh stays empty, so that no
line runs from one column's top into the next one's bottom:

     6 13 20 27 34 41 48    always empty
     5 12 19 26 33 40 47
     ...
     0  7 14 21 28 35 42

Red (`x`, seat 0) moves first. A move is a column, 0 to 6 here and 1 to 7 in the notation.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from engines.alphabeta import kernels
from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.contests import RANDOM_MOVER, Opening, Searcher
from engines.alphabeta.evaluators import Inputs
from engines.alphabeta.kernels import WIN, Boards, Moves
from engines.alphabeta.programs import BoardPrograms
from engines.competition import BadPosition, IllegalMove, Outcome
from engines.compiling.bits import Bits, lowest, mix, popcount
from engines.compiling.jit import jitable
from engines.display import records
from engines.display.drawing import centre, disc, group, labels, panel, picture
from engines.display.notation import quoted, split_position
from engines.display.records import GameRecord
from engines.programs.board import BASICS, FUNCTIONS
from engines.programs.primitives import PrimitiveSet, located, terminal

COLUMNS, ROWS, HEIGHT = 7, 6, 7
CELLS = COLUMNS * ROWS
SIDES = "xo"
NAMES = ("Red", "Yellow")

NONE = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)
THREE = np.uint64(3)
COLUMN = np.uint64((1 << ROWS) - 1)
BOTTOM = np.uint64(sum(1 << HEIGHT * column for column in range(COLUMNS)))
BOARD = np.uint64(int(BOTTOM) * int(COLUMN))
TOP = np.uint64(int(BOTTOM) << (ROWS - 1))
UP, ACROSS, FALLING, RISING = (np.uint64(step) for step in (1, HEIGHT, HEIGHT - 1, HEIGHT + 1))

CENTRE_COLUMN = np.uint64(int(COLUMN) << 3 * HEIGHT)
INNER_COLUMNS = np.uint64(int(COLUMN) << 2 * HEIGHT | int(COLUMN) << 4 * HEIGHT)
MIDDLE_ROWS = np.uint64(int(BOTTOM) * 0b001100)
ODD_ROWS = np.uint64(int(BOTTOM) * 0b010101)
"""Rows 1, 3 and 5 from the bottom, which fall to the first mover when columns fill up."""

EVALUATIONS = PLACES, THREATS = 0, 1
"""Evaluations: discs in the middle; cells that would complete four, by the parity of their row."""

# Inputs of programs.
MY_THREATS, ENEMY_THREATS, THREAT_COUNT, MY_ODD, ENEMY_ODD, MY_CENTRE, ENEMY_CENTRE, LEFT, WHOLE = (
    range(9)
)
EMPTY, FRIENDLY, BOARDS = range(3)
INPUTS = Inputs(
    WHOLE,
    tuple(HEIGHT * column + row for row in range(ROWS) for column in range(COLUMNS)),
    BOARDS,
)
CELL_SETS = (range(1, ROWS + 1), range(1, COLUMNS + 1))
PRIMITIVES = PrimitiveSet(
    "connect four",
    (
        *BASICS,
        terminal(
            "FriendlyThreatCount", MY_THREATS, about="empty cells that make four for the mover"
        ),
        terminal(
            "EnemyThreatCount", ENEMY_THREATS, about="empty cells that make four for the other"
        ),
        terminal("ThreatCount", THREAT_COUNT, about="the mover's less the other's"),
        terminal("FriendlyOddThreatCount", MY_ODD, about="the mover's on rows 1, 3 and 5"),
        terminal("EnemyOddThreatCount", ENEMY_ODD, about="the other's on rows 1, 3 and 5"),
        terminal("FriendlyCentreCount", MY_CENTRE, about="own discs in the middle column"),
        terminal("EnemyCentreCount", ENEMY_CENTRE, about="the other's discs there"),
        terminal("EmptyCount", LEFT, about="empty cells"),
        located("IsEmptySquare", INPUTS.of_board(EMPTY), CELL_SETS, about="no disc is there"),
        located(
            "IsFriendlyPiece", INPUTS.of_board(FRIENDLY), CELL_SETS, about="an own disc is there"
        ),
        *FUNCTIONS,
    ),
)


class ConnectFourState(NamedTuple):
    """Boards of the side to move and of the other, and the seat to move."""

    mover: Bits
    other: Bits
    seat: int


@jitable
def _aligned(board: Bits, step: Bits) -> Bits:
    """Ends of lines of four along one direction."""
    pairs = board & (board >> step)
    return pairs & (pairs >> (step + step))


@jitable
def has_four(board: Bits) -> bool:
    lines = _aligned(board, UP) | _aligned(board, ACROSS)
    lines |= _aligned(board, FALLING) | _aligned(board, RISING)
    return bool(lines != NONE)


@jitable
def _completed(board: Bits, step: Bits) -> Bits:
    """Cells that, added to `board`, complete four along one direction other than up."""
    pairs = (board << step) & (board << (TWO * step))
    cells = pairs & (board << (THREE * step))
    cells |= pairs & (board >> step)
    pairs = (board >> step) & (board >> (TWO * step))
    cells |= pairs & (board << step)
    return cells | (pairs & (board >> (THREE * step)))


@jitable
def threats(board: Bits, taken: Bits) -> Bits:
    """Empty cells that complete four for `board`, whether or not they can be reached now."""
    cells = (board << UP) & (board << TWO) & (board << THREE)
    cells |= _completed(board, ACROSS) | _completed(board, FALLING) | _completed(board, RISING)
    return cells & BOARD & ~taken


@kernels.moves.register(ConnectFourState)
def _moves(state: ConnectFourState, stack: Moves, start: int) -> int:
    end = start
    if has_four(state.other):
        return end
    taken = state.mover | state.other
    # From the middle outwards: most good moves are in the middle, and a search that tries them
    # first is several times faster.
    for index in range(COLUMNS):
        column = 3 + (index + 1) // 2 * (1 - 2 * (index % 2))
        if taken & (ONE << np.uint64(HEIGHT * column + ROWS - 1)) == NONE:
            stack[end] = column
            end += 1
    return end


@kernels.mobility.register(ConnectFourState)
def _mobility(state: ConnectFourState) -> int:
    if has_four(state.other):
        return 0
    return popcount(TOP & ~(state.mover | state.other))


@kernels.play.register(ConnectFourState)
def _play(state: ConnectFourState, move: int) -> ConnectFourState:
    taken = state.mover | state.other
    shift = np.uint64(HEIGHT * move)
    # Adding one to a column carries over its discs to the lowest empty cell.
    landed = (taken + (ONE << shift)) & (COLUMN << shift)
    return ConnectFourState(state.other, state.mover | (landed & ~taken), 1 - state.seat)


@kernels.over.register(ConnectFourState)
def _over(state: ConnectFourState) -> bool:
    return (state.mover | state.other) == BOARD or has_four(state.other)


@kernels.result.register(ConnectFourState)
def _result(state: ConnectFourState) -> int:
    """22 less the winner's discs: 1 for a win with the last disc, and more for earlier wins."""
    return popcount(state.other) - 22 if has_four(state.other) else 0


@kernels.key.register(ConnectFourState)
def _key(state: ConnectFourState) -> Bits:
    # One-to-one: per column, the sum determines the discs and which of them are the mover's.
    return mix(state.mover + (state.mover | state.other))


@jitable
def _places(board: Bits) -> int:
    return (
        3 * popcount(board & CENTRE_COLUMN)
        + 2 * popcount(board & INNER_COLUMNS)
        + popcount(board & MIDDLE_ROWS)
    )


@jitable
def _pressure(board: Bits, taken: Bits, lasting: Bits) -> int:
    """The value of a side's threats; those on its `lasting` rows succeed when columns fill up."""
    cells = threats(board, taken)
    # Two threats on top of each other win as soon as the lower one can be played.
    stacked = cells & (cells << UP)
    return 6 * popcount(cells) + 10 * popcount(cells & lasting) + 20 * popcount(stacked)


@kernels.evaluate.register(ConnectFourState)
def _evaluate(state: ConnectFourState, evaluation: int) -> int:
    mover, other = state.mover, state.other
    places = _places(mover) - _places(other)
    if evaluation == PLACES:
        return places
    taken = mover | other
    even = BOARD & ~ODD_ROWS
    if state.seat == 0:
        return places + _pressure(mover, taken, ODD_ROWS) - _pressure(other, taken, even)
    return places + _pressure(mover, taken, even) - _pressure(other, taken, ODD_ROWS)


@kernels.look.register(ConnectFourState)
def _look(state: ConnectFourState, wanted: int, inputs: Any) -> None:
    mover, other = state.mover, state.other
    taken = mover | other
    mine, theirs = threats(mover, taken), threats(other, taken)
    inputs[MY_THREATS], inputs[ENEMY_THREATS] = popcount(mine), popcount(theirs)
    inputs[THREAT_COUNT] = popcount(mine) - popcount(theirs)
    inputs[MY_ODD], inputs[ENEMY_ODD] = popcount(mine & ODD_ROWS), popcount(theirs & ODD_ROWS)
    inputs[MY_CENTRE] = popcount(mover & CENTRE_COLUMN)
    inputs[ENEMY_CENTRE] = popcount(other & CENTRE_COLUMN)
    inputs[LEFT] = CELLS - popcount(taken)


@kernels.boards.register(ConnectFourState)
def _show(state: ConnectFourState, boards: Boards) -> int:
    boards[EMPTY], boards[FRIENDLY] = BOARD & ~(state.mover | state.other), state.mover
    return 0


class ConnectFour(BoardGame[ConnectFourState]):
    """Connect Four for the ladder."""

    name = "connect-four"
    title = "Connect Four"
    draw_probability = 0.05
    house_revision = 2
    sides = NAMES

    # No side may have won already, or have a forced win next move.
    opening_rule = Opening((2, 4), judge=PLACES, most=WIN - 1)
    searchers = MappingProxyType(
        {
            "random": RANDOM_MOVER,
            "greedy": Searcher(1, PLACES),
            **{f"alphabeta-{depth}": Searcher(depth, THREATS) for depth in (1, 3, 5, 7, 9)},
        }
    )
    programs = BoardPrograms(name, PRIMITIVES, INPUTS)
    record_format = records.COLUMNS

    def start(self, seed: int, seats: int = 2) -> ConnectFourState:
        return ConnectFourState(NONE, NONE, 0)

    def legal(self, state: ConnectFourState) -> Sequence[int]:
        stack = kernels.new_stack(COLUMNS)
        return tuple(sorted(stack[: kernels.moves(state, stack, 0)].tolist()))

    def outcome(self, state: ConnectFourState) -> Outcome | None:
        if has_four(state.other):
            winner = 1 - state.seat
            reason = f"{NAMES[winner]} has four {_where(state.other)}"
            return Outcome((float(winner == 0), float(winner == 1)), reason)
        full = (state.mover | state.other) == BOARD
        return Outcome((0.5, 0.5), "The board is full") if full else None

    def format(self, state: ConnectFourState, move: int) -> str:
        return str(move + 1)

    def parse(self, state: ConnectFourState, text: str) -> int:
        if not isinstance(text, str) or len(text) != 1 or text not in "1234567":
            raise IllegalMove(f"{quoted(text)} is not a column from 1 to 7")
        if kernels.over(state):
            raise IllegalMove("the game is over")
        move = int(text) - 1
        if move not in self.legal(state):
            raise IllegalMove(f"column {text} is full")
        return move

    def position(self, state: ConnectFourState) -> str:
        return f"{''.join(self._rows(state))} {SIDES[state.seat]}"

    def from_position(self, text: str) -> ConnectFourState:
        board, seat = split_position(text, CELLS, SIDES + ".", SIDES)
        for index in range(CELLS - COLUMNS):
            if board[index] != "." and board[index + COLUMNS] == ".":
                raise BadPosition(f"the disc of column {index % COLUMNS + 1} hangs in the air")
        counts = [board.count(side) for side in SIDES]
        if counts[0] - counts[1] != seat:
            raise BadPosition(
                f"{SIDES[seat]} cannot be to move with {counts[0]} discs x and {counts[1]} discs o"
            )
        mover, other = (_board(board, side) for side in (SIDES[seat], SIDES[1 - seat]))
        if has_four(mover):
            raise BadPosition(f"{SIDES[seat]} has four in a row already, yet is to move")
        return ConnectFourState(mover, other, seat)

    def observation(self, state: ConnectFourState, seat: int) -> dict[str, Any]:
        return {"mark": SIDES[seat], "board": self._rows(state)}

    def svg(self, state: ConnectFourState, last: int | None = None) -> str:
        red, yellow = self._boards(state)
        said = f"{NAMES[state.seat]} to move"
        outcome = self.outcome(state)
        if outcome is not None:
            said = outcome.reason
        empty = BOARD & ~(state.mover | state.other)
        return picture(
            f"Connect Four, {said}",
            COLUMNS,
            ROWS,
            [
                panel(COLUMNS, ROWS, "#2b5fb0", 6),
                group(_drawn(empty), fill="#dfe6f0"),
                group(_drawn(red), fill="#d8392f"),
                group(_drawn(yellow), fill="#f5c93a"),
                _ring(state, last),
                labels("1234567"),
            ],
        )

    def write_record(self, record: GameRecord) -> str:
        return "".join(move.text for move in record.moves) + "\n"

    def _boards(self, state: ConnectFourState) -> tuple[Bits, Bits]:
        """Red's and Yellow's discs."""
        if state.seat == 0:
            return state.mover, state.other
        return state.other, state.mover

    def _rows(self, state: ConnectFourState) -> list[str]:
        """The rows of the board from the top down."""
        red, yellow = (int(board) for board in self._boards(state))
        return [
            "".join(
                "x" if red >> bit & 1 else "o" if yellow >> bit & 1 else "."
                for bit in range(row, COLUMNS * HEIGHT, HEIGHT)
            )
            for row in reversed(range(ROWS))
        ]


def _board(text: str, side: str) -> Bits:
    return np.uint64(
        sum(
            1 << HEIGHT * (index % COLUMNS) + ROWS - 1 - index // COLUMNS
            for index in range(CELLS)
            if text[index] == side
        )
    )


def _where(board: Bits) -> str:
    """A description of a line of four, which starts at the lowest bit found."""
    for step, words in (
        (UP, "in column {0}"),
        (ACROSS, "in a row, columns {0} to {1}"),
        (FALLING, "on a diagonal, columns {0} to {1}"),
        (RISING, "on a diagonal, columns {0} to {1}"),
    ):
        ends = _aligned(board, step)
        if ends != NONE:
            column = lowest(ends) // HEIGHT + 1
            return words.format(column, column + 3)
    raise ValueError("there is no line of four")


def _drawn(board: Bits) -> list[str]:
    return [
        disc(column, ROWS - 1 - row, 8)
        for column in range(COLUMNS)
        for row in range(ROWS)
        if int(board) >> HEIGHT * column + row & 1
    ]


def _ring(state: ConnectFourState, last: int | None) -> str:
    """A ring around the topmost disc of the last move's column."""
    if last is None:
        return ""
    column = (int(state.mover | state.other) >> HEIGHT * last) & int(COLUMN)
    if column == 0:
        return ""
    x, y = centre(last, ROWS - column.bit_length())
    return f'<circle cx="{x}" cy="{y}" r="8" fill="none" stroke="#ffffff" stroke-width="2"/>'


CONNECT_FOUR = ConnectFour()
