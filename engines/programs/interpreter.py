"""Runs the code of programs, for all games: one jitted loop over three-address instructions.

An instruction is four unsigned 16-bit numbers: what to do, where the result goes, and two slots of
memory. In jumps the second number is where to go on. Slots hold the inputs first, then the
program's constants, then temporaries; the last one counts the instructions that were executed.

There are no bounds checks: only run code that `engines.programs.code` has made, in memory that it
has laid out.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engines.jit import njit

(STOP, EFFECT, MOVE) = range(3)
(ADD, SUB, MUL, DIV, MIN, MAX, ABS, NEG, SIN, COS, ASIN, ACOS) = range(3, 15)
(GREATER, SMALLER, LOWER_EQUAL, NOT) = range(15, 19)
# Jumps: if it holds, and unless it holds.
(JUMP, JUMP_IF, JUMP_UNLESS, JUMP_GREATER, JUMP_NOT_GREATER) = range(19, 24)
(JUMP_SMALLER, JUMP_NOT_SMALLER, JUMP_LOWER_EQUAL, JUMP_NOT_LOWER_EQUAL) = range(24, 28)
(JUMP_POSITIVE, JUMP_NOT_POSITIVE) = range(28, 30)

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
        what = code[place, 0]
        to = code[place, 1]
        a = code[place, 2]
        b = code[place, 3]
        place += _ONE
        if what <= EFFECT:
            break
        if what == ADD:
            memory[to] = memory[a] + memory[b]
        elif what == SUB:
            memory[to] = memory[a] - memory[b]
        elif what == MUL:
            memory[to] = memory[a] * memory[b]
        elif what == DIV:
            memory[to] = memory[a] / memory[b] if memory[b] != 0.0 else 0.0
        elif what == JUMP_GREATER:
            if memory[a] > memory[b]:
                place = np.uint64(to)
        elif what == JUMP_NOT_GREATER:
            if not memory[a] > memory[b]:
                place = np.uint64(to)
        elif what == JUMP_POSITIVE:
            if memory[a] > 0.0:
                place = np.uint64(to)
        elif what == JUMP_NOT_POSITIVE:
            if not memory[a] > 0.0:
                place = np.uint64(to)
        elif what == JUMP_IF:
            if memory[a] != 0.0:
                place = np.uint64(to)
        elif what == JUMP_UNLESS:
            if memory[a] == 0.0:
                place = np.uint64(to)
        elif what == JUMP_SMALLER:
            if memory[a] < memory[b]:
                place = np.uint64(to)
        elif what == JUMP_NOT_SMALLER:
            if not memory[a] < memory[b]:
                place = np.uint64(to)
        elif what == JUMP_LOWER_EQUAL:
            if memory[a] <= memory[b]:
                place = np.uint64(to)
        elif what == JUMP_NOT_LOWER_EQUAL:
            if not memory[a] <= memory[b]:
                place = np.uint64(to)
        elif what == JUMP:
            place = np.uint64(to)
        elif what == MOVE:
            memory[to] = memory[a]
        elif what == MIN:
            memory[to] = memory[b] if memory[b] < memory[a] else memory[a]
        elif what == MAX:
            memory[to] = memory[b] if memory[b] > memory[a] else memory[a]
        elif what == ABS:
            memory[to] = abs(memory[a])
        elif what == NEG:
            memory[to] = -memory[a]
        elif what == GREATER:
            memory[to] = 1.0 if memory[a] > memory[b] else 0.0
        elif what == SMALLER:
            memory[to] = 1.0 if memory[a] < memory[b] else 0.0
        elif what == LOWER_EQUAL:
            memory[to] = 1.0 if memory[a] <= memory[b] else 0.0
        elif what == NOT:
            memory[to] = 1.0 if memory[a] == 0.0 else 0.0
        elif what == SIN:
            memory[to] = math.sin(memory[a])
        elif what == COS:
            memory[to] = math.cos(memory[a])
        elif what == ASIN:
            memory[to] = math.asin(_within(memory[a]))
        else:
            memory[to] = math.acos(_within(memory[a]))
    memory[len(memory) - 1] += steps
    return int(place) - 1


@njit
def value(code: Any, start: int, memory: Any) -> float:
    """The value of a tree without effects."""
    return float(memory[code[run(code, start, memory), 2]])
