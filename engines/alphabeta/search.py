"""Alpha-beta, once for all games: fail-soft negamax over the generics of `alphabeta.kernels`.

It also serves games of dice, whose rolls it averages, and games of more than two seats, where all
others count as one opponent.

Each improvement can be switched off. Iterative deepening, the transposition table, captures first,
killer moves and the history table do not change the value of a search. The others do, in games with
their kernels: quiescence and extensions look beyond the depth, the null move and reductions leave
out what is probably bad. A search depends only on its arguments, except with a time limit. Compiled
code runs without the GIL; a `Search` owns its memory and serves one thread at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Any

import numpy as np

from engines.alphabeta import kernels
from engines.alphabeta.evaluators import (
    JUDGE,
    PROGRAM,
    Evaluation,
    Judge,
    evaluate,
    executed,
    install,
)
from engines.alphabeta.kernels import MOST_MOVES, OPTIONAL, STACK_SIZE, WIN, Moves
from engines.alphabeta.memory import (
    HISTORY_SIZE,
    LONGEST_LINE,
    MAX_DEPTH,
    MEMORY,
    MOST_PAST,
    MOST_TABLE_BITS,
    Memory,
    begin,
    is_repeated,
    recall,
)
from engines.compiling.bits import rank, unrank
from engines.compiling.jit import jitable, new_record, njit

INFINITY = 4 * WIN
UNLIMITED = (1 << 63) - 1

EXACT, AT_LEAST, AT_MOST = 1, 2, 3
"""The kind of the value in a table entry."""

HASH_FIRST, CAPTURE_FIRST, KILLER_FIRST = 1 << 60, 1 << 54, 1 << 53
"""Ordering scores: `kernels.gain` up to 63, and scores above the largest of a history slot."""

DECIDED = 1 << 20
"""The value of a point of a finished game in averages over rolls. Evaluations of games with dice
are smaller; the value of a program counts as this much at most."""

TABLE, KILLER_MOVES, HISTORY, DEEPENING, CAPTURES, QUIESCENCE = 1, 2, 4, 8, 16, 32
EXTENSIONS, NULL_MOVE, REDUCTIONS = 64, 128, 256

NULL_DEPTH = 2
"""The least depth at which a pass is tried."""
NULL_LESS = 2
"""The plies by which the search after a pass is shallower, and one more for every four of depth."""
LATE_DEPTH, LATE_MOVE = 3, 3
"""The least depth and the number of moves before a late move is searched less deep."""
VERY_LATE_DEPTH, VERY_LATE_MOVE = 5, 12
"""From here on by two plies."""


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
    """Search continues at leaves with pending captures."""
    EXTENSIONS = EXTENSIONS
    """Forcing positions, such as checks, are searched one ply deeper."""
    NULL_MOVE = NULL_MOVE
    """A position in which even a pass is good enough is searched less deep."""
    REDUCTIONS = REDUCTIONS
    """Late moves are searched less deep."""
    ORDERING = CAPTURES | KILLER_MOVES | HISTORY
    FIXED_DEPTH = ORDERING | TABLE | DEEPENING
    """All improvements that keep the value of plain minimax."""
    ALL = FIXED_DEPTH | QUIESCENCE | EXTENSIONS | NULL_MOVE | REDUCTIONS


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best move, its value for the mover, and the work done.

    `depth` is the last completed one. It is 0 if a limit came earlier: the move is then the first
    of the given order.
    """

    move: int
    value: int
    depth: int
    nodes: int


class Search:
    """A searcher with its memory; searches do not depend on earlier ones."""

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
        """Instructions executed by the program at the leaves in all searches so far."""
        return executed(self._judge)

    def find(
        self,
        state: Any,
        moves: Sequence[int],
        depth: int,
        nodes: int | None = None,
        seconds: float | None = None,
        decided: int | None = None,
        past: Sequence[int] = (),
    ) -> SearchResult:
        """Search `moves`: the legal ones, with preferred ones first among equals.

        `past` holds the keys of earlier positions that can repeat, oldest first.

        At a limit it stops at once and returns the result of the last completed depth. In games
        where all wins are equal, `decided` (`WIN`) is the value that ends deepening: the search
        then takes the shortest win that it found, and the longest loss.
        """
        if not moves:
            raise ValueError("moves must not be empty: the game is over")
        if not 1 <= depth <= MAX_DEPTH:
            raise ValueError(f"depth must be 1 to {MAX_DEPTH} plies, not {depth}")
        memory = self._memory
        memory["node_limit"] = UNLIMITED if nodes is None else nodes
        memory["stack"][: len(moves)] = moves
        recall(memory, past)
        # Compiled code cannot read the clock, but it sees the flag.
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
                # An alarm at this moment must not stop the next search.
                alarm.join()
        return SearchResult(int(best), int(value), int(completed), int(memory["nodes"]))


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
        # If every move loses now, the best one of the previous depth resists longest.
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
    """Move one to the front; the others keep their order."""
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
    memory.root_depth, memory.root_seat = depth, state.seat
    best, best_move = -INFINITY, memory.stack[0]
    bound = -best
    height = memory.height
    _push(state, memory)
    for index in range(count):
        move = memory.stack[index]
        after = kernels.play(state, move)
        left = depth - 1 + _extension(state, after, memory)
        settled, value = _enter(after, left, count, memory, judge)
        if _turns(state, after, memory):
            if not settled:
                value = negamax(after, left, -bound, -best, count, memory, judge)
            value = -value
        elif not settled:
            value = negamax(after, left, best, bound, count, memory, judge)
        if memory.stopped != 0:
            break
        if value > best:
            best, best_move = value, move
    memory.height = height
    return best_move, best


@njit
def negamax(
    state: Any, depth: int, alpha: int, beta: int, start: int, memory: Memory, judge: Judge
) -> int:
    """Value of `state` for its mover: exact between `alpha` and `beta`, else a bound.

    The caller checked with `_enter` that it needs moves. The moves of this ply go to the stack from
    `start` on. A stopped search returns a meaningless value at once. Seats other than the one at
    the root count as one opponent.
    """
    stack = memory.stack
    key = kernels.key(state) ^ memory.salt
    entry = memory.table[np.int64(key & memory.mask)]
    known_move = -1
    # Subtrees beyond the depth are too small for an entry.
    use_table = depth > 0 and memory.switches & TABLE != 0
    if use_table and entry.key == key:
        known_move = entry.move
        if _decides(entry.value, entry.about, depth, alpha, beta):
            return int(entry.value)
    best, best_move, floor = -INFINITY, known_move, alpha
    if _tries_pass(state, depth, beta, memory, judge):
        after = kernels.pass_turn(state)
        left = depth - 1 - NULL_LESS - depth // 4
        settled, value = _enter(after, left, start, memory, judge)
        if not settled:
            value = negamax(after, left, -beta, -beta + 1, start, memory, judge)
        if memory.stopped != 0:
            return alpha
        # A win after a pass is not proved for the position itself.
        if -value >= beta and abs(value) < WIN:
            return -value
    stands, value, end = _stand(state, depth, beta, start, memory, judge)
    if stands:
        if value >= beta:
            return value
        best = value
        floor = max(floor, best)
    else:
        end = kernels.moves(state, stack, start)
    height = memory.height
    _push(state, memory)
    if kernels.chance(state):
        # All rolls count, so none is cut off. This is not a separate function: numba cannot cache
        # two functions that call each other.
        total = 0.0
        # Sums, because literals would create specialisations (see `compiling.jit`).
        alpha, beta = alpha - alpha - INFINITY, beta - beta + INFINITY
        for index in range(start, end):
            roll = stack[index]
            after = kernels.play(state, roll)
            settled, value = _enter(after, depth, end, memory, judge)
            if not settled:
                value = negamax(after, depth, alpha, beta, end, memory, judge)
            if _turns(state, after, memory):
                value = -value
            if memory.stopped != 0:
                return alpha
            total += _weigh(state, roll, value, judge)
        best = _as_value(state, total, judge)
    else:
        _score_moves(state, memory, start, end, known_move, _ply(memory, depth))
        for index in range(start, end):
            _bring_best(memory, index, end)
            move = stack[index]
            after = kernels.play(state, move)
            left = depth - 1 + _extension(state, after, memory)
            settled, value = _enter(after, left, end, memory, judge)
            if _turns(state, after, memory):
                less = _reduction(state, move, after, left, index - start, memory)
                if less > 0 and not settled:
                    value = negamax(after, left - less, -floor - 1, -floor, end, memory, judge)
                    settled = -value <= floor
                if not settled:
                    value = negamax(after, left, -beta, -floor, end, memory, judge)
                value = -value
            elif not settled:
                value = negamax(after, left, floor, beta, end, memory, judge)
            if memory.stopped != 0:
                return alpha
            if value > best:
                best, best_move = value, move
                floor = max(floor, best)
                if best >= beta:
                    _reward(memory, move, depth)
                    break
    memory.height = height
    if use_table:
        bound = AT_LEAST if best >= beta else EXACT if best > alpha else AT_MOST
        entry.key, entry.move = key, best_move
        entry.value, entry.about = best, depth * 4 + bound
    return best


@kernels.needs(
    kernels.captures, otherwise=lambda state, depth, beta, start, memory, judge: (False, 0, start)
)
def _stand(
    state: Any, depth: int, beta: int, start: int, memory: Memory, judge: Judge
) -> tuple[bool, int, int]:
    """Whether the mover may stop here, and its value; then the end of the captures, which
    are on the stack unless the value reaches `beta`."""
    if depth > 0 or kernels.noisy(state) != OPTIONAL:
        return False, 0, start
    value = _judge_leaf(state, memory, judge)
    if value >= beta:
        return True, value, start
    return True, value, kernels.captures(state, memory.stack, start)


@kernels.needs(kernels.extends, otherwise=lambda state, after, memory: 0)
def _extension(state: Any, after: Any, memory: Memory) -> int:
    if memory.switches & EXTENSIONS == 0:
        return 0
    return 1 if kernels.extends(after) and not kernels.extends(state) else 0


@kernels.needs(kernels.may_pass, otherwise=lambda state, depth, beta, memory, judge: False)
def _tries_pass(state: Any, depth: int, beta: int, memory: Memory, judge: Judge) -> bool:
    """Whether a pass may prove that the value reaches `beta`. Two passes never follow each other:
    if the value is good enough for one side, it is not for the other."""
    if depth < NULL_DEPTH or memory.switches & NULL_MOVE == 0 or abs(beta) >= WIN:
        return False
    if not kernels.may_pass(state):
        return False
    return _judge_leaf(state, memory, judge) >= beta


@kernels.needs(kernels.waits, otherwise=lambda state, move, after, depth, tried, memory: 0)
def _reduction(state: Any, move: int, after: Any, depth: int, tried: int, memory: Memory) -> int:
    """The plies by which a move is searched less deep at first, after `tried` others."""
    if depth < LATE_DEPTH or tried < LATE_MOVE or memory.switches & REDUCTIONS == 0:
        return 0
    if not kernels.waits(state, move, after):
        return 0
    return 2 if depth >= VERY_LATE_DEPTH and tried >= VERY_LATE_MOVE else 1


@kernels.needs(kernels.alternates, otherwise=lambda state, after, memory: True)
def _turns(state: Any, after: Any, memory: Memory) -> bool:
    """Whether the position after a move belongs to the other side."""
    if kernels.alternates(state):
        return True
    seat = memory.root_seat
    return (state.seat == seat) != (after.seat == seat)  # type: ignore[no-any-return]


@kernels.needs(kernels.reach, otherwise=lambda state, memory: None)
def _push(state: Any, memory: Memory) -> None:
    """Add a position to the line, in games where repetition counts."""
    if kernels.reach(state) >= 0:
        memory.keys[memory.height] = kernels.key(state)
        memory.height += 1


@jitable
def _enter(state: Any, depth: int, start: int, memory: Memory, judge: Judge) -> tuple[bool, int]:
    """Count a node; returns whether its value is known without moves, and that value.

    Its moves would go to the stack from `start` on. It is separate from `negamax` because most
    nodes are leaves, and a call of a compiled function costs more than the rest of a leaf.
    """
    if memory.nodes >= memory.node_limit:
        memory.stopped = 1
    if memory.stopped != 0:
        return True, 0
    memory.nodes += 1
    if kernels.over(state):
        return True, _judge_end(state, memory)
    if is_repeated(state, memory):
        return True, 0
    quiet = depth <= 0 and not (memory.switches & QUIESCENCE != 0 and kernels.noisy(state))
    room = start <= STACK_SIZE - MOST_MOVES and memory.height < MOST_PAST + LONGEST_LINE
    if quiet or not room:
        return True, _judge_leaf(state, memory, judge)
    return False, 0


@kernels.needs(kernels.seat_count, otherwise=lambda state, memory, judge: evaluate(state, judge))
def _judge_leaf(state: Any, memory: Memory, judge: Judge) -> int:
    """The evaluation of an unfinished game for the mover or the mover's side."""
    seat = memory.root_seat
    if kernels.seat_count(state) > 2 and state.seat != seat:
        return -evaluate(kernels.seen_by(state, seat), judge)
    return evaluate(state, judge)


@kernels.needs(kernels.seat_count, otherwise=lambda state, memory: settle(kernels.result(state)))
def _judge_end(state: Any, memory: Memory) -> int:
    seat = memory.root_seat
    if kernels.seat_count(state) > 2 and state.seat != seat:
        return -settle(kernels.result(kernels.seen_by(state, seat)))
    return settle(kernels.result(state))


@kernels.needs(kernels.chance, otherwise=lambda state, roll, value, judge: 0.0)
def _weigh(state: Any, roll: int, value: int, judge: Judge) -> float:
    """The share of a roll in the average, on a scale that can be averaged."""
    if value >= WIN:
        plain = float(DECIDED * (value - WIN))
    elif value <= -WIN:
        plain = float(DECIDED * (value + WIN))
    elif judge.evaluation == PROGRAM:
        plain = min(max(unrank(value), -float(DECIDED)), float(DECIDED))
    else:
        plain = float(value)
    return kernels.likelihood(state, roll) * plain


@kernels.needs(kernels.chance, otherwise=lambda state, average, judge: 0)
def _as_value(state: Any, average: float, judge: Judge) -> int:
    return rank(average) if judge.evaluation == PROGRAM else round(average)


@jitable
def settle(margin: int) -> int:
    """Value of a finished game."""
    if margin > 0:
        return WIN + margin
    return -WIN + margin if margin < 0 else 0


@jitable
def _decides(value: int, depth_and_bound: int, depth: int, alpha: int, beta: int) -> bool:
    """Whether a table entry decides the value of the node.

    Entries of other depths only order moves: with deeper ones, a value would depend on earlier
    searches instead of the depth alone.
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
    """Distance from the root; beyond the depth limit, all plies share one pair of killers."""
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
    """Swap the move with the highest score to `index`: the first of equals, for reproducibility."""
    stack, order = memory.stack, memory.order
    best = index
    for other in range(index + 1, end):
        if order[other] > order[best]:
            best = other
    stack[index], stack[best] = stack[best], stack[index]
    order[index], order[best] = order[best], order[index]


@jitable
def _reward(memory: Memory, move: int, depth: int) -> None:
    """Remember a move that refuted the previous one."""
    ply = _ply(memory, depth)
    if memory.killers[ply, 0] != move:
        memory.killers[ply, 1] = memory.killers[ply, 0]
        memory.killers[ply, 0] = move
    memory.history[move & (HISTORY_SIZE - 1)] += depth * depth
