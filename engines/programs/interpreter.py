"""Runs the code of programs, for all games: one jitted loop over three-address instructions.

An instruction is eight unsigned 16-bit numbers: what to do, where the result goes, and up to six
slots of memory. In jumps the second number is where to go on. Slots hold the inputs first, then the
program's constants, then temporaries; the last one counts the instructions that were executed.

What takes time is to guess wrongly which instruction comes next. So a few do much, and without
branches: sums, differences and products are one (`STEP`), two of which can be chained, and a choice
between slots is another (`CHOOSE`).

There are no bounds checks: only run code that `engines.programs.code` has made, in memory that it
has laid out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engines.compiling.jit import njit

WIDTH = 8
"""Numbers per instruction; most instructions leave some of them out."""

(STOP, EFFECT, CHAIN, STEP, CHOOSE) = range(5)
(MOVE, JUMP, JUMP_UNLESS, JUMP_IF, JUMP_LOWER_EQUAL, JUMP_NOT_LOWER_EQUAL) = range(5, 11)
(JUMP_GREATER, JUMP_NOT_GREATER, JUMP_POSITIVE, JUMP_NOT_POSITIVE) = range(11, 15)
(JUMP_SMALLER, JUMP_NOT_SMALLER, GREATER, SMALLER, LOWER_EQUAL) = range(15, 20)
(DIV, MIN, MAX, ABS, NEG, SIN, COS, ASIN, ACOS) = range(20, 29)
# Jumps: if it holds, and unless it holds. The order is that of `run`, the frequent ones first.

_ONE = np.uint64(1)


@njit
def _within(value: float) -> float:
    """The value brought to [-1, 1]; what is no number stays none."""
    if value > 1.0:
        return 1.0
    return -1.0 if value < -1.0 else value


@njit
def run(code: Any, at: int, memory: Any) -> int:
    """Run from instruction `at` to the next effect or the end, and return where that is.

    At the end the tree's value lies in slot `code[at, 2]`. An effect (number `code[at, 3]`) is the
    caller's: it reads slot `code[at, 2]`, writes slot `code[at, 1]` and runs on from `at + 1`.
    """
    place = np.uint64(at)
    steps = 0
    while True:
        steps += 1
        here = place
        place += _ONE
        what = code[here, 0]
        if what <= EFFECT:
            break
        to = code[here, 1]
        # Read before it is known what for: that is sooner.
        a = memory[code[here, 2]]
        b = memory[code[here, 3]]
        # Comparisons by order, so that the compiler makes no table of addresses of all of this:
        # where a jump goes is guessed worse than whether it is taken.
        if what <= CHOOSE:
            if what == CHAIN:
                # A step, and another one; its operands, with a sign each, are the first one's
                # result and a third slot.
                sign = memory[code[here, 4]]
                first = a * b if sign == 0.0 else a + sign * b
                third = memory[code[here, 5]]
                sign, other = memory[code[here, 6]], memory[code[here, 7]]
                memory[to] = first * third if sign == 0.0 else sign * first + other * third
            elif what == STEP:
                # a + b, a - b or a * b: the sign is 1, -1 or 0. Multiplied by 1 or -1 a number
                # stays exactly what it is, so this is the sum or the difference to the last bit.
                sign = memory[code[here, 4]]
                memory[to] = a * b if sign == 0.0 else a + sign * b
            else:
                memory[to] = a if memory[code[here, 4]] != 0.0 else b
        elif what <= JUMP_UNLESS:
            if what == JUMP_UNLESS:
                if a == 0.0:
                    place = np.uint64(to)
            elif what == JUMP:
                place = np.uint64(to)
            else:
                memory[to] = a
        elif what <= JUMP_NOT_LOWER_EQUAL:
            if what == JUMP_IF:
                if a != 0.0:
                    place = np.uint64(to)
            elif what == JUMP_LOWER_EQUAL:
                if a <= b:
                    place = np.uint64(to)
            elif not a <= b:
                place = np.uint64(to)
        elif what <= JUMP_NOT_POSITIVE:
            if what == JUMP_GREATER:
                if a > b:
                    place = np.uint64(to)
            elif what == JUMP_NOT_GREATER:
                if not a > b:
                    place = np.uint64(to)
            elif what == JUMP_POSITIVE:
                if a > 0.0:
                    place = np.uint64(to)
            elif not a > 0.0:
                place = np.uint64(to)
        elif what == JUMP_SMALLER:
            if a < b:
                place = np.uint64(to)
        elif what == JUMP_NOT_SMALLER:
            if not a < b:
                place = np.uint64(to)
        elif what == GREATER:
            memory[to] = 1.0 if a > b else 0.0
        elif what == SMALLER:
            memory[to] = 1.0 if a < b else 0.0
        elif what == LOWER_EQUAL:
            memory[to] = 1.0 if a <= b else 0.0
        elif what == DIV:
            memory[to] = a / b if b != 0.0 else 0.0
        elif what == MIN:
            memory[to] = b if b < a else a
        elif what == MAX:
            memory[to] = b if b > a else a
        elif what == ABS:
            memory[to] = abs(a)
        elif what == NEG:
            memory[to] = -a
        elif what == SIN:
            memory[to] = math.sin(a)
        elif what == COS:
            memory[to] = math.cos(a)
        elif what == ASIN:
            memory[to] = math.asin(_within(a))
        else:
            memory[to] = math.acos(_within(a))
    memory[len(memory) - 1] += steps
    return int(here)


@njit
def value(code: Any, start: int, memory: Any) -> float:
    """The value of a tree without effects."""
    return float(memory[code[run(code, start, memory), 2]])
