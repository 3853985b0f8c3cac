"""Runs the code of programs, for all games: one jitted loop over three-address instructions.

An instruction is eight unsigned 16-bit numbers: the operation, the slot of the result, and up to
six slots of memory. In jumps the second number is the target. Slots hold the inputs first, then the
program's constants, then temporaries; the last one counts executed instructions.

Branch misprediction dominates the run time. So a few powerful instructions avoid branches: one
computes sums, differences and products (`STEP`; two can be chained), another chooses between slots
(`CHOOSE`).

There are no bounds checks: run only code from `engines.programs.code`, in memory of its layout.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engines.compiling.jit import njit

WIDTH = 8
"""Numbers per instruction; most instructions use fewer."""

(STOP, EFFECT, CHAIN, STEP, CHOOSE) = range(5)
(MOVE, JUMP, JUMP_UNLESS, JUMP_IF, JUMP_LOWER_EQUAL, JUMP_NOT_LOWER_EQUAL) = range(5, 11)
(JUMP_GREATER, JUMP_NOT_GREATER, JUMP_POSITIVE, JUMP_NOT_POSITIVE) = range(11, 15)
(JUMP_SMALLER, JUMP_NOT_SMALLER, GREATER, SMALLER, LOWER_EQUAL) = range(15, 20)
(DIV, MIN, MAX, ABS, NEG, SIN, COS, ASIN, ACOS, TAN) = range(20, 30)
# Jumps: if a condition holds, and if it does not. `run` has the same order, frequent ones first.

_ONE = np.uint64(1)


@njit
def _within(value: float) -> float:
    """The value clamped to [-1, 1]; NaN stays NaN."""
    if value > 1.0:
        return 1.0
    return -1.0 if value < -1.0 else value


@njit
def run(code: Any, at: int, memory: Any) -> int:
    """Run from instruction `at` to the next effect or the end, and return its number.

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
        # Reading before dispatch is faster.
        a = memory[code[here, 2]]
        b = memory[code[here, 3]]
        # Ordered comparisons keep the compiler from making a jump table: the target of an indirect
        # jump is predicted worse than a branch.
        if what <= CHOOSE:
            if what == CHAIN:
                # Two steps: the operands of the second, each with a sign, are the first one's
                # result and a third slot.
                sign = memory[code[here, 4]]
                first = a * b if sign == 0.0 else a + sign * b
                third = memory[code[here, 5]]
                sign, other = memory[code[here, 6]], memory[code[here, 7]]
                memory[to] = first * third if sign == 0.0 else sign * first + other * third
            elif what == STEP:
                # a + b, a - b or a * b: the sign is 1, -1 or 0. Multiplying by 1 or -1 is exact,
                # so this is the sum or the difference to the last bit.
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
        elif what == ACOS:
            memory[to] = math.acos(_within(a))
        else:
            memory[to] = math.tan(a)
    memory[len(memory) - 1] += steps
    return int(here)


@njit
def value(code: Any, start: int, memory: Any) -> float:
    """The value of a tree without effects."""
    return float(memory[code[run(code, start, memory), 2]])
