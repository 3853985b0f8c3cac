"""The memory of a search: one record with everything that compiled code writes.

It also holds keys of earlier positions of the game, so that the search detects repetitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from engines.alphabeta import kernels
from engines.alphabeta.kernels import STACK_SIZE
from engines.compiling.bits import Bits, mix
from engines.compiling.jit import jitable, njit

MAX_DEPTH = 96
"""Longer than any Reversi game with its passes."""

HISTORY_SIZE = 4096
"""Moves share history slots by their low bits; a power of two."""
KILLERS = 2

MOST_TABLE_BITS = 18

MOST_PAST = 512
"""The most earlier positions of the game that can repeat: more than any rule counts."""
LONGEST_LINE = 512
"""The most positions of one line of a search, including captures and extensions."""

ENTRY = np.dtype(
    [
        ("key", np.uint64),
        ("move", np.int64),
        ("value", np.int64),
        # depth * 4 + bound
        ("about", np.int64),
    ]
)
MEMORY = np.dtype(
    [
        ("nodes", np.int64),
        ("node_limit", np.int64),
        ("stopped", np.int64),
        ("switches", np.int64),
        ("root_depth", np.int64),
        ("root_seat", np.int64),
        # The number of keys of the game, and of the game and the line together.
        ("past", np.int64),
        ("height", np.int64),
        # Each search changes all keys by this number, instead of clearing the table.
        ("searches", np.int64),
        ("salt", np.uint64),
        # The mask from keys to entries: the size of the table, less one.
        ("mask", np.uint64),
        # Two per ply.
        ("killers", np.int64, (MAX_DEPTH + 1, KILLERS)),
        ("history", np.int64, (HISTORY_SIZE,)),
        ("keys", np.uint64, (MOST_PAST + LONGEST_LINE,)),
        # The moves of one line of play, ply after ply, and their ordering scores.
        ("stack", np.int64, (STACK_SIZE,)),
        ("order", np.int64, (STACK_SIZE,)),
        ("table", ENTRY, (1 << MOST_TABLE_BITS,)),
    ],
    align=True,
)
Memory: TypeAlias = Any
"""A record of type `MEMORY`."""


@njit
def begin(memory: Memory) -> None:
    """Forget earlier searches; the past of the game stays."""
    memory.nodes = memory.stopped = 0
    memory.height = memory.past
    memory.searches += 1
    memory.salt = mix(np.uint64(memory.searches))
    memory.killers[:] = -1
    memory.history[:] = 0


def recall(memory: Memory, past: Sequence[int]) -> None:
    """Set the keys of earlier positions of the game, oldest first."""
    kept = past[-MOST_PAST:]
    memory["past"] = len(kept)
    if kept:
        memory["keys"][: len(kept)] = np.array(kept, np.uint64)


@kernels.needs(kernels.reach, otherwise=lambda state, after, memory: False)
def note_past(state: Any, after: Any, memory: Memory) -> bool:
    """Remember `state`, the position before `after`, if it can repeat.

    Returns whether `after` occurs for the third time.
    """
    reach = kernels.reach(after)
    if reach == 0:
        memory.past = 0
    elif reach > 0 and memory.past < MOST_PAST:
        memory.keys[memory.past] = kernels.key(state)
        memory.past += 1
    memory.height = memory.past
    return reach > 0 and times_before(kernels.key(after), reach, 0, memory) > 1


@jitable
def times_before(key: Bits, reach: int, low: int, memory: Memory) -> int:
    """The number of earlier occurrences of a position, from place `low` of the keys on."""
    found = 0
    for place in range(max(low, memory.height - reach), memory.height):
        if memory.keys[place] == key:
            found += 1
    return found


@kernels.needs(kernels.reach, otherwise=lambda state, memory: False)
def is_repeated(state: Any, memory: Memory) -> bool:
    """Whether the search may call a position drawn by repetition.

    One occurrence within the own line is enough: a side that repeats once can repeat again. With
    occurrences only in the game before, it must be the third.
    """
    reach = kernels.reach(state)
    if reach <= 0:
        return False
    key = kernels.key(state)
    if times_before(key, reach, memory.past, memory) > 0:
        return True
    return times_before(key, reach, 0, memory) > 1
