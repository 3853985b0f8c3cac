"""Alpha-beta, once for all games: fail-soft negamax over the generics of `engines.kernels`.

Improvements can be switched off one by one. Iterative deepening, the transposition table, captures
first, killer moves and the history table do not change the value of a search; quiescence does, in
games with captures, because it looks beyond the depth. Only a time limit makes a search depend on
anything but its arguments. Compiled code runs without the GIL; a `Search` owns
its memory and serves one thread at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Any, TypeAlias

import numpy as np

from engines import kernels
from engines.bits import mix
from engines.evaluators import JUDGE, Evaluation, Judge, evaluate, executed, install
from engines.jit import jitable, new_record, njit
from engines.kernels import STACK_SIZE, WIN, Moves

MAX_DEPTH = 96
"""Longer than any Reversi game with its passes."""
INFINITY = 4 * WIN
UNLIMITED = (1 << 63) - 1

HISTORY_SIZE = 4096
"""Moves share history slots by their low bits; a power of two."""
KILLERS = 2

EXACT, AT_LEAST, AT_MOST = 1, 2, 3
"""What a table entry says about the value of its position."""

HASH_FIRST, CAPTURE_FIRST, KILLER_FIRST = 1 << 60, 1 << 54, 1 << 53
"""Ordering scores: up to 63 pieces captured at once, and above all that a history slot reaches."""

TABLE, KILLER_MOVES, HISTORY, DEEPENING, CAPTURES, QUIESCENCE = 1, 2, 4, 8, 16, 32


class Switches(IntFlag):
    """The improvements; compiled code knows them as plain numbers."""

    NONE = 0
    TABLE = TABLE
    KILLER_MOVES = KILLER_MOVES
    HISTORY = HISTORY
    DEEPENING = DEEPENING
    CAPTURES = CAPTURES
    """Larger captures first."""
    QUIESCENCE = QUIESCENCE
    """Where the mover has to capture, leaves are searched on."""
    ORDERING = CAPTURES | KILLER_MOVES | HISTORY
    FIXED_DEPTH = ORDERING | TABLE | DEEPENING
    """All that leave the value of a search as plain minimax finds it."""
    ALL = FIXED_DEPTH | QUIESCENCE


MOST_TABLE_BITS = 18

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
        # Instead of clearing the table, each search changes the keys of all positions by this.
        ("searches", np.int64),
        ("salt", np.uint64),
        # Which entry a key belongs to: the size of the table, less one.
        ("mask", np.uint64),
        # Two per ply.
        ("killers", np.int64, (MAX_DEPTH + 1, KILLERS)),
        ("history", np.int64, (HISTORY_SIZE,)),
        # The moves of one line of play, ply after ply, and the ordering score of each.
        ("stack", np.int64, (STACK_SIZE,)),
        ("order", np.int64, (STACK_SIZE,)),
        ("table", ENTRY, (1 << MOST_TABLE_BITS,)),
    ],
    align=True,
)
Memory: TypeAlias = Any
"""A record of type `MEMORY`: all that the compiled search writes to."""


@dataclass(frozen=True, slots=True)
class Found:
    """The best move, its value for the mover, and the work done.

    `depth` is the last one completed. It is 0 when a limit came before that: the move is then the
    first of the order given.
    """

    move: int
    value: int
    depth: int
    nodes: int


class Search:
    """A searcher with its memory; no search knows of the ones before it."""

    def __init__(
        self,
        evaluation: Evaluation = 0,
        switches: Switches = Switches.ALL,
        table_bits: int = 16,
    ) -> None:
        if not 0 <= table_bits <= MOST_TABLE_BITS:
            raise ValueError(f"a table has at most 2 ** {MOST_TABLE_BITS} entries")
        self._memory, self._judge = new_record(MEMORY), new_record(JUDGE)
        self._memory["switches"] = int(switches)
        self._memory["mask"] = (1 << table_bits) - 1
        install(evaluation, self._judge)

    @property
    def instructions(self) -> int:
        """What the program at the leaves has executed in all searches so far."""
        return executed(self._judge)

    def find(
        self,
        state: Any,
        moves: Sequence[int],
        depth: int,
        nodes: int | None = None,
        seconds: float | None = None,
        decided: int | None = None,
    ) -> Found:
        """Search `moves`, the legal ones in the order in which equals are preferred.

        Stops at once at a limit, and then answers from the last completed depth. Where all wins
        are alike, `decided` (`WIN`) is the value that ends deepening: a win is then taken by the
        shortest way that was found, and a loss put off as long as possible.
        """
        if not moves:
            raise ValueError("there is no move to choose")
        if not 1 <= depth <= MAX_DEPTH:
            raise ValueError(f"a search goes 1 to {MAX_DEPTH} plies deep, not {depth}")
        memory = self._memory
        memory["node_limit"] = UNLIMITED if nodes is None else nodes
        memory["stack"][: len(moves)] = moves
        # Compiled code has no clock, but it sees the flag.
        alarm = threading.Timer(seconds or 0, memory.__setitem__, ("stopped", 1))
        begin(memory)
        if seconds is not None:
            alarm.start()
        try:
            best, value, completed = deepen(
                state, len(moves), depth, decided or INFINITY, memory, self._judge
            )
        finally:
            if seconds is not None:
                alarm.cancel()
                # An alarm that went off this very moment must not stop the next search.
                alarm.join()
        return Found(int(best), int(value), int(completed), int(memory["nodes"]))


@njit
def begin(memory: Memory) -> None:
    """Forget the searches before."""
    memory.nodes = memory.stopped = 0
    memory.searches += 1
    memory.salt = mix(np.uint64(memory.searches))
    memory.killers[:] = -1
    memory.history[:] = 0


@njit
def deepen(
    state: Any, count: int, depth: int, decided: int, memory: Memory, judge: Judge
) -> tuple[int, int, int]:
    """Best of the `count` moves on the stack, its value, and the last depth completed."""
    stack = memory.stack
    found, found_value, found_depth = stack[0], 0, 0
    now = 1 if memory.switches & DEEPENING != 0 else depth
    while now <= depth:
        best, value = search_root(state, now, count, memory, judge)
        if memory.stopped != 0:
            break
        # When every move loses now, the best one of the depth before holds out longest.
        if value > -decided or found_depth == 0:
            found = best
        found_value, found_depth = value, now
        if abs(value) >= decided:
            break
        _bring_forward(stack, count, found)
        now += 1
    return found, found_value, found_depth


@jitable
def _bring_forward(stack: Moves, count: int, move: int) -> None:
    """Move to the front; the others keep their order."""
    place = 0
    while place < count - 1 and stack[place] != move:
        place += 1
    while place > 0:
        stack[place] = stack[place - 1]
        place -= 1
    stack[0] = move


@njit
def search_root(
    state: Any, depth: int, count: int, memory: Memory, judge: Judge
) -> tuple[int, int]:
    """Best of the `count` moves on the stack, in their order, and its value."""
    memory.root_depth = depth
    best, best_move = -INFINITY, memory.stack[0]
    for index in range(count):
        move = memory.stack[index]
        after = kernels.play(state, move)
        settled, value = _enter(after, depth - 1, memory, judge)
        if not settled:
            value = negamax(after, depth - 1, -INFINITY, -best, count, memory, judge)
        value = -value
        if memory.stopped != 0:
            break
        if value > best:
            best, best_move = value, move
    return best_move, best


@njit
def negamax(
    state: Any, depth: int, alpha: int, beta: int, start: int, memory: Memory, judge: Judge
) -> int:
    """Value of `state` for its mover: exact between `alpha` and `beta`, else a bound.

    `_enter` has not settled it. The moves of this ply go to the stack from `start` on. A stopped
    search returns at once, and what it returns means nothing.
    """
    stack = memory.stack
    key = kernels.key(state) ^ memory.salt
    entry = memory.table[np.int64(key & memory.mask)]
    known_move = -1
    # What lies beyond the depth is too small to be worth an entry.
    use_table = depth > 0 and memory.switches & TABLE != 0
    if use_table and entry.key == key:
        known_move = entry.move
        if _decides(entry.value, entry.about, depth, alpha, beta):
            return int(entry.value)
    end = kernels.moves(state, stack, start)
    _score_moves(state, memory, start, end, known_move, _ply(memory, depth))
    best, best_move, floor = -INFINITY, known_move, alpha
    for index in range(start, end):
        _bring_best(memory, index, end)
        move = stack[index]
        after = kernels.play(state, move)
        settled, value = _enter(after, depth - 1, memory, judge)
        if not settled:
            value = negamax(after, depth - 1, -beta, -floor, end, memory, judge)
        value = -value
        if memory.stopped != 0:
            return alpha
        if value > best:
            best, best_move = value, move
            floor = max(floor, best)
            if best >= beta:
                _reward(memory, move, depth)
                break
    if use_table:
        bound = AT_LEAST if best >= beta else EXACT if best > alpha else AT_MOST
        entry.key, entry.move = key, best_move
        entry.value, entry.about = best, depth * 4 + bound
    return best


@jitable
def _enter(state: Any, depth: int, memory: Memory, judge: Judge) -> tuple[bool, int]:
    """Count a node, and whether its value needs no moves, with that value.

    It is apart from `negamax` because most nodes are leaves, and a call of a compiled function
    costs more than the rest of what a leaf needs.
    """
    if memory.nodes >= memory.node_limit:
        memory.stopped = 1
    if memory.stopped != 0:
        return True, 0
    memory.nodes += 1
    if kernels.over(state):
        return True, settle(kernels.result(state))
    if depth <= 0 and not (memory.switches & QUIESCENCE != 0 and kernels.noisy(state)):
        return True, evaluate(state, judge)
    return False, 0


@jitable
def settle(margin: int) -> int:
    """Value of a game that is over."""
    if margin > 0:
        return WIN + margin
    return -WIN + margin if margin < 0 else 0


@jitable
def _decides(value: int, depth_and_bound: int, depth: int, alpha: int, beta: int) -> bool:
    """Whether a table entry makes searching on needless.

    Entries of other depths only order moves: using deeper ones would make a value depend on what
    was searched before, and no longer on the depth alone.
    """
    if depth_and_bound // 4 != depth:
        return False
    bound = depth_and_bound % 4
    return (
        bound == EXACT
        or (bound == AT_LEAST and value >= beta)
        or (bound == AT_MOST and value <= alpha)
    )


@jitable
def _ply(memory: Memory, depth: int) -> int:
    """How far from the root; beyond the depth limit, all plies share one pair of killers."""
    return min(memory.root_depth - depth, MAX_DEPTH)  # type: ignore[no-any-return]


@jitable
def _score_moves(
    state: Any, memory: Memory, start: int, end: int, known_move: int, ply: int
) -> None:
    switches = memory.switches
    for index in range(start, end):
        move = memory.stack[index]
        score = 0
        if move == known_move:
            score = HASH_FIRST
        elif switches & KILLER_MOVES != 0 and move == memory.killers[ply, 0]:
            score = KILLER_FIRST + 1
        elif switches & KILLER_MOVES != 0 and move == memory.killers[ply, 1]:
            score = KILLER_FIRST
        elif switches & HISTORY != 0:
            score = memory.history[move & (HISTORY_SIZE - 1)]
        if switches & CAPTURES != 0 and move != known_move:
            score += CAPTURE_FIRST * kernels.gain(state, move)
        memory.order[index] = score


@jitable
def _bring_best(memory: Memory, index: int, end: int) -> None:
    """Swap the move with the highest score to `index`; the first of equals, so games are alike."""
    stack, order = memory.stack, memory.order
    best = index
    for other in range(index + 1, end):
        if order[other] > order[best]:
            best = other
    stack[index], stack[best] = stack[best], stack[index]
    order[index], order[best] = order[best], order[index]


@jitable
def _reward(memory: Memory, move: int, depth: int) -> None:
    """Remember a move that refuted the one before it."""
    ply = _ply(memory, depth)
    if memory.killers[ply, 0] != move:
        memory.killers[ply, 1] = memory.killers[ply, 0]
        memory.killers[ply, 0] = move
    memory.history[move & (HISTORY_SIZE - 1)] += depth * depth
