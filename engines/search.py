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
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engines import kernels
from engines.jit import jitable, njit
from engines.kernels import WIN

Ints: TypeAlias = npt.NDArray[np.int64]

MAX_DEPTH = 96
"""Longer than any Reversi game with its passes."""
INFINITY = 4 * WIN

HISTORY_SIZE = 4096
"""Moves share history slots by their low bits; a power of two."""
KILLERS = 2

NODES, NODE_LIMIT, STOPPED, EVALUATION, SWITCHES, ROOT_DEPTH, COUNTERS = range(7)
"""Slots of `Memory.counters`."""
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


class Memory(NamedTuple):
    """All that the compiled search writes to. Its moves lie on one stack, ply after ply."""

    stack: Ints
    order: Ints
    """Ordering score of each move on the stack."""
    keys: npt.NDArray[np.uint64]
    entries: Ints
    """Per key: move, value, and depth * 4 + bound."""
    killers: Ints
    history: Ints
    counters: Ints


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
    """A searcher with its memory, which it clears before each search."""

    def __init__(
        self, evaluation: int = 0, switches: Switches = Switches.ALL, table_bits: int = 16
    ) -> None:
        slots = 1 << table_bits
        self._memory = Memory(
            stack=kernels.new_stack(),
            order=kernels.new_stack(),
            keys=np.zeros(slots, dtype=np.uint64),
            entries=np.zeros((slots, 3), dtype=np.int64),
            killers=np.zeros((MAX_DEPTH + 1, KILLERS), dtype=np.int64),
            history=np.zeros(HISTORY_SIZE, dtype=np.int64),
            counters=np.zeros(COUNTERS, dtype=np.int64),
        )
        self._memory.counters[SWITCHES] = int(switches)
        self._deepening = bool(switches & Switches.DEEPENING)
        self.evaluation = evaluation

    @property
    def evaluation(self) -> int:
        """Number of the evaluation that the next search uses."""
        return int(self._memory.counters[EVALUATION])

    @evaluation.setter
    def evaluation(self, number: int) -> None:
        self._memory.counters[EVALUATION] = number

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
        counters = self._memory.counters
        self._clear()
        counters[NODE_LIMIT] = np.iinfo(np.int64).max if nodes is None else nodes
        if seconds is None:
            return self._deepen(state, list(moves), depth, decided or INFINITY)
        # Compiled code has no clock, but it sees the flag.
        alarm = threading.Timer(seconds, counters.__setitem__, (STOPPED, 1))
        alarm.start()
        try:
            return self._deepen(state, list(moves), depth, decided or INFINITY)
        finally:
            alarm.cancel()
            # An alarm that went off this very moment must not stop the next search.
            alarm.join()

    def _deepen(self, state: Any, moves: list[int], depth: int, decided: int) -> Found:
        memory = self._memory
        found = Found(moves[0], 0, 0, 0)
        for now in range(1 if self._deepening else depth, depth + 1):
            memory.stack[: len(moves)] = moves
            best, value = search_root(state, now, len(moves), memory)
            spent = int(memory.counters[NODES])
            if memory.counters[STOPPED]:
                return Found(found.move, found.value, found.depth, spent)
            if value <= -decided and found.depth > 0:
                # Every move loses now; the best one of the depth before holds out longest.
                best = found.move
            found = Found(int(best), int(value), now, spent)
            if abs(found.value) >= decided:
                return found
            moves.remove(found.move)
            moves.insert(0, found.move)
        return found

    def _clear(self) -> None:
        memory = self._memory
        for array in (memory.keys, memory.entries, memory.history):
            array.fill(0)
        memory.killers.fill(-1)
        memory.counters[[NODES, STOPPED]] = 0


@njit
def search_root(state: Any, depth: int, count: int, memory: Memory) -> tuple[int, int]:
    """Best of the `count` moves on the stack, in their order, and its value."""
    memory.counters[ROOT_DEPTH] = depth
    best, best_move = -INFINITY, memory.stack[0]
    for index in range(count):
        move = memory.stack[index]
        after = kernels.play(state, move)
        settled, value = _enter(after, depth - 1, memory.counters)
        if not settled:
            value = negamax(after, depth - 1, -INFINITY, -best, count, memory)
        value = -value
        if memory.counters[STOPPED] != 0:
            break
        if value > best:
            best, best_move = value, move
    return best_move, best


@njit
def negamax(state: Any, depth: int, alpha: int, beta: int, start: int, memory: Memory) -> int:
    """Value of `state` for its mover: exact between `alpha` and `beta`, else a bound.

    `_enter` has not settled it. The moves of this ply go to the stack from `start` on. A stopped
    search returns at once, and what it returns means nothing.
    """
    counters = memory.counters
    key = kernels.key(state)
    slot = np.int64(key & np.uint64(memory.keys.size - 1))
    known_move = -1
    # What lies beyond the depth is too small to be worth an entry.
    use_table = depth > 0 and counters[SWITCHES] & TABLE != 0
    if use_table and memory.keys[slot] == key:
        known_move = memory.entries[slot, 0]
        if _decides(memory.entries[slot, 1], memory.entries[slot, 2], depth, alpha, beta):
            return int(memory.entries[slot, 1])
    end = kernels.moves(state, memory.stack, start)
    _score_moves(state, memory, start, end, known_move, _ply(memory, depth))
    best, best_move, floor = -INFINITY, known_move, alpha
    for index in range(start, end):
        _bring_best(memory, index, end)
        move = memory.stack[index]
        after = kernels.play(state, move)
        settled, value = _enter(after, depth - 1, counters)
        if not settled:
            value = negamax(after, depth - 1, -beta, -floor, end, memory)
        value = -value
        if counters[STOPPED] != 0:
            return alpha
        if value > best:
            best, best_move = value, move
            floor = max(floor, best)
            if best >= beta:
                _reward(memory, move, depth)
                break
    if use_table:
        bound = AT_LEAST if best >= beta else EXACT if best > alpha else AT_MOST
        memory.keys[slot] = key
        memory.entries[slot, 0] = best_move
        memory.entries[slot, 1] = best
        memory.entries[slot, 2] = depth * 4 + bound
    return best


@jitable
def _enter(state: Any, depth: int, counters: Ints) -> tuple[bool, int]:
    """Count a node, and whether its value needs no moves, with that value.

    It is apart from `negamax` because most nodes are leaves, and a call of a compiled function
    with all its arrays costs more than the rest of what a leaf needs.
    """
    if counters[NODES] >= counters[NODE_LIMIT]:
        counters[STOPPED] = 1
    if counters[STOPPED] != 0:
        return True, 0
    counters[NODES] += 1
    if kernels.over(state):
        return True, settle(kernels.result(state))
    if depth <= 0 and not (counters[SWITCHES] & QUIESCENCE != 0 and kernels.noisy(state)):
        return True, kernels.evaluate(state, counters[EVALUATION])
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
    return min(memory.counters[ROOT_DEPTH] - depth, MAX_DEPTH)  # type: ignore[no-any-return]


@jitable
def _score_moves(
    state: Any, memory: Memory, start: int, end: int, known_move: int, ply: int
) -> None:
    switches = memory.counters[SWITCHES]
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
