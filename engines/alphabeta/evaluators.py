"""The evaluation of leaves of a search: one of a game's own evaluations, or a program.

Compiled code sees a record of type `JUDGE`. Each leaf computes only those inputs that the program
reads: for example, moves are counted only if it reads their number. The program's value, a float,
becomes a whole number of the same order (`compiling.bits.rank`), so that a search respects even the
smallest preference of the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from engines.alphabeta import kernels
from engines.compiling.bits import rank
from engines.compiling.jit import jitable, njit
from engines.programs.code import Code
from engines.programs.interpreter import WIDTH, run
from engines.programs.trees import MOST_DEPTH, MOST_NODES

ONE = np.uint64(1)

PROGRAM = -1
"""The number of the evaluation by a program; evaluations of games count from 0."""

MOST_WHOLE = 62
"""Inputs about the whole board: a 64-bit mask selects them for `kernels.look`."""
MOST_INPUTS = 4096
MOST_WORDS = 64
"""Words of 64 squares, over all boards."""
MOST_TREES = 4
MOST_INSTRUCTIONS = 3 * MOST_NODES + MOST_TREES
"""A choice has two jumps, and any node may have a factor."""
MOST_SLOTS = MOST_INPUTS + 2 * MOST_NODES + 2 * MOST_DEPTH + 5
"""A node has at most two constants, a program three more, and a level of a tree at most two
temporaries."""

PLACE = np.dtype([("slot", np.uint32), ("board", np.uint16), ("bit", np.uint16)])
"""An input about one square: the slot of the answer, the board, and the bit."""

JUDGE = np.dtype(
    [
        ("evaluation", np.int64),
        ("wanted", np.int64),
        ("asked", np.int64),
        ("words", np.int64),
        ("starts", np.int64, (MOST_TREES,)),
        ("boards", np.uint64, (MOST_WORDS,)),
        ("slots", np.float64, (MOST_SLOTS,)),
        ("places", PLACE, (MOST_INPUTS,)),
        ("code", np.uint16, (MOST_INSTRUCTIONS, WIDTH)),
    ],
    align=True,
)
Judge: TypeAlias = Any
"""A record of type `JUDGE`. The last of its slots counts the instructions executed."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The numbering of a game's inputs for programs: first those about the whole board
    (`kernels.look`), then for each of `kernels.boards` all squares, by their bits."""

    whole: int
    bits: tuple[int, ...] = ()
    boards: int = 0

    def __post_init__(self) -> None:
        for what, number, most in (
            ("inputs about the whole board", self.whole, MOST_WHOLE),
            ("words of 64 squares over all boards", self.boards * self.words, MOST_WORDS),
            ("inputs in all", self.count, MOST_INPUTS),
        ):
            if number > most:
                raise ValueError(f"a game has at most {most} {what}, not {number}")
        if self.boards and not self.bits:
            raise ValueError("boards need at least one square")
        if min(self.bits, default=0) < 0:
            raise ValueError(f"bits of squares are numbers from 0 on, not {min(self.bits)}")

    @property
    def words(self) -> int:
        """The number of 64-bit words of a board."""
        return max(self.bits, default=0) // 64 + 1

    @property
    def count(self) -> int:
        return self.whole + self.boards * len(self.bits)

    def of_board(self, board: int) -> int:
        """The input of the first square on a board."""
        return self.whole + board * len(self.bits)


@dataclass(frozen=True, eq=False)
class Evaluator:
    """A program's code with the inputs that it reads of a position."""

    code: Code
    wanted: int
    places: npt.NDArray[Any]
    words: int
    """Words of a board."""

    @classmethod
    def of(cls, code: Code, inputs: Inputs) -> Evaluator:
        """Raises `ValueError` if the code has effects, too many trees, or is too large."""
        if not 1 <= len(code.starts) <= MOST_TREES or code.inputs != inputs.count:
            raise ValueError(
                f"an evaluator must be 1 to {MOST_TREES} trees over the inputs of its game"
            )
        if len(code.instructions) > MOST_INSTRUCTIONS or code.slots > MOST_SLOTS:
            raise ValueError("the program is too large for an evaluator")
        whole = (number for number in code.reads if number < inputs.whole)
        squares = sorted(number for number in code.reads if number >= inputs.whole)
        rows = [
            (number, board, inputs.bits[place])
            for number in squares
            for board, place in [divmod(number - inputs.whole, len(inputs.bits))]
        ]
        wanted = sum(1 << number for number in whole)
        return cls(code, wanted, np.array(rows, PLACE), inputs.words)

    def install(self, judge: Judge) -> None:
        """Write this evaluator to a judge; its count of instructions starts at 0."""
        judge["evaluation"], judge["wanted"] = PROGRAM, self.wanted
        judge["asked"], judge["words"] = len(self.places), self.words
        judge["starts"][: len(self.code.starts)] = self.code.starts
        judge["places"][: len(self.places)] = self.places
        judge["code"][: len(self.code.instructions)] = self.code.instructions
        self.code.lay_out(judge["slots"])
        judge["slots"][-1] = 0.0


Evaluation: TypeAlias = int | Evaluator
"""The number of one of the game's evaluations, or a program."""


def install(evaluation: Evaluation, judge: Judge) -> None:
    if isinstance(evaluation, Evaluator):
        evaluation.install(judge)
    else:
        judge["evaluation"], judge["slots"][-1] = evaluation, 0.0


def executed(judge: Judge) -> int:
    """Instructions executed by the program since it was installed."""
    return int(judge["slots"][-1])


@njit
def ask(state: Any, judge: Judge) -> int:
    """The value of a position for its mover by the judge's program."""
    slots = judge.slots
    if judge.wanted != 0:
        kernels.look(state, judge.wanted, slots)
    if judge.asked > 0:
        boards, places, words = judge.boards, judge.places, judge.words
        last = kernels.boards(state, boards)
        for index in range(judge.asked):
            place = places[index]
            bit = abs(last - np.int64(place.bit))
            word = boards[place.board * words + (bit >> 6)]
            slots[place.slot] = float((word >> np.uint64(bit & 63)) & ONE)
    code = judge.code
    value = rank(slots[code[run(code, _start(state, judge), slots), 2]])
    return _for_mover(state, value)


@kernels.needs(kernels.tree, otherwise=lambda state, judge: 0)
def _start(state: Any, judge: Judge) -> int:
    """The first instruction of the tree for this position."""
    return judge.starts[kernels.tree(state)]  # type: ignore[no-any-return]


@kernels.needs(kernels.has_moved, otherwise=lambda state, value: value)
def _for_mover(state: Any, value: int) -> int:
    return -value if kernels.has_moved(state) else value


@jitable
def evaluate(state: Any, judge: Judge) -> int:
    """The value of an unfinished game for the mover."""
    if judge.evaluation == PROGRAM:
        return ask(state, judge)
    return kernels.evaluate(state, judge.evaluation)


def describe(state: Any, inputs: Inputs) -> Sequence[float]:
    """All inputs of a position; slow, for tests and for people."""
    values, boards = np.zeros(inputs.count), np.zeros(MOST_WORDS, np.uint64)
    kernels.look(state, (1 << inputs.whole) - 1, values)
    last = kernels.boards(state, boards) if inputs.boards else 0
    for board in range(inputs.boards):
        words = boards[board * inputs.words : (board + 1) * inputs.words].tolist()
        squares = sum(word << 64 * place for place, word in enumerate(words))
        for place, bit in enumerate(inputs.bits):
            values[inputs.of_board(board) + place] = squares >> abs(last - bit) & 1
    return [float(value) for value in values]
