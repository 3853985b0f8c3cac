"""Perft: lines of play by the laws of movement alone; by convention draws end no line there."""

from __future__ import annotations

from engines.alphabeta.kernels import Moves
from engines.compiling.jit import njit
from engines.games.chess.board import ChessState
from engines.games.chess.moves import count_moves, generate
from engines.games.chess.rules import play


@njit
def perft(state: ChessState, depth: int, stack: Moves, start: int) -> int:
    """The number of lines of `depth` > 0 plies."""
    if depth == 1:
        return count_moves(state)
    end = generate(state, stack, start, False)
    total = 0
    for index in range(start, end):
        after = play(state, stack[index])
        # Count the last ply here: a recursive call would cost more than counting.
        if depth == 2:
            total += count_moves(after)
        else:
            total += perft(after, depth - 1, stack, end)
    return total
