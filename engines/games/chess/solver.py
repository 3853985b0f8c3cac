"""Exact mates: whether the mover forces mate in a number of moves, by trying everything."""

from __future__ import annotations

from engines.alphabeta.kernels import Moves, new_stack
from engines.compiling.jit import jitable, njit
from engines.games.chess.attacks import NONE
from engines.games.chess.board import ChessState
from engines.games.chess.moves import count_moves, generate
from engines.games.chess.notation import legal_moves
from engines.games.chess.rules import play


@jitable
def _mates_now(state: ChessState, stack: Moves, start: int) -> bool:
    for index in range(start, generate(state, stack, start, False)):
        after = play(state, stack[index])
        if after.checkers != NONE and count_moves(after) == 0:
            return True
    return False


@njit
def forces_mate(state: ChessState, moves: int, stack: Moves, start: int) -> bool:
    """Whether the mover mates in at most that number of own moves, against any defence.

    Draws by repetition and by fifty moves do not count, as in problems.
    """
    if _mates_now(state, stack, start):
        return True
    fewer = moves - 1
    if fewer < 1:
        return False
    end = generate(state, stack, start, False)
    # All checks come before all other moves: most mates consist of them.
    for gives_check in (True, False):
        for index in range(start, end):
            after = play(state, stack[index])
            if (after.checkers != NONE) != gives_check:
                continue
            last = generate(after, stack, end, False)
            forced = last > end
            for answer in range(end, last):
                if not forces_mate(play(after, stack[answer]), fewer, stack, last):
                    forced = False
                    break
            if forced:
                return True
    return False


@njit
def begins_mate(state: ChessState, move: int, moves: int, stack: Moves) -> bool:
    """Whether a move begins a mate in at most `moves` moves."""
    after = play(state, move)
    end = generate(after, stack, 0, False)
    if end == 0:
        return after.checkers != NONE  # type: ignore[no-any-return]
    fewer = moves - 1
    if fewer == 0:
        return False
    held = True
    for index in range(end):
        held = held and forces_mate(play(after, stack[index]), fewer, stack, end)
    return held


def shortest_mate(state: ChessState, most: int) -> int:
    """The number of moves of the shortest forced mate, 0 if it has more than `most` moves."""
    stack = new_stack()
    lengths = range(1, most + 1)
    return next((moves for moves in lengths if forces_mate(state, moves, stack, 0)), 0)


def keys(state: ChessState, moves: int) -> list[int]:
    """The moves that begin a mate in at most `moves` moves."""
    stack = new_stack()
    return [move for move in legal_moves(state) if begins_mate(state, move, moves, stack)]
