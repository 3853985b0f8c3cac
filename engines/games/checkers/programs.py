"""The inputs and primitives of programs of the checkers family.

Tables 3.1 to 3.4 of Sipper's "Evolved to Win", after Benbassat and Sipper, "Evolving Lose-Checkers
Players using Genetic Programming". All inputs are from the view of the side to move: squares have
the numbers that they would have if it were Black. The book names squares by row and column; numbers
omit the light squares, which are always empty.
"""

from __future__ import annotations

from typing import Any

from engines.alphabeta import kernels
from engines.alphabeta.evaluators import Inputs
from engines.alphabeta.kernels import Boards
from engines.compiling.bits import popcount
from engines.games.checkers.board import Board
from engines.games.checkers.rules import State
from engines.games.checkers.variants import VARIANTS, Variant
from engines.programs.board import BASICS, FUNCTIONS
from engines.programs.primitives import PrimitiveSet, constant, located, terminal

ENEMY_KINGS, ENEMY_MEN, ENEMY_PIECES, MY_KINGS, MY_MEN, MY_PIECES = range(6)
KINGS, MEN, PIECES, MOBILITY, WHOLE = range(6, 11)
EMPTY, FRIENDLY, KING, MAN, BOARDS = range(5)

KING_FACTOR = 1.4
"""The value of a king in men."""


def inputs(board: Board) -> Inputs:
    return Inputs(WHOLE, tuple(board.bit(square) for square in range(board.squares)), BOARDS)


def primitives(board: Board) -> PrimitiveSet:
    numbered = inputs(board)
    squares = (range(1, board.squares + 1),)
    return PrimitiveSet(
        f"checkers {board.size}x{board.size}",
        (
            *BASICS,
            terminal("EnemyKingCount", ENEMY_KINGS, about="kings of the other side"),
            terminal("EnemyManCount", ENEMY_MEN, about="men of the other side"),
            terminal("EnemyPieceCount", ENEMY_PIECES, about="its men, and 1.4 times its kings"),
            terminal("FriendlyKingCount", MY_KINGS, about="own kings"),
            terminal("FriendlyManCount", MY_MEN, about="own men"),
            terminal("FriendlyPieceCount", MY_PIECES, about="own men, and 1.4 times own kings"),
            terminal("KingCount", KINGS, about="own kings less those of the other side"),
            terminal("ManCount", MEN, about="own men less those of the other side"),
            terminal("PieceCount", PIECES, about="own pieces, as counted above, less its"),
            constant("KingFactor", KING_FACTOR, about="1.4"),
            terminal("Mobility", MOBILITY, about="the number of moves that the mover has"),
            located(
                "IsEmptySquare", numbered.of_board(EMPTY), squares, about="nothing stands there"
            ),
            located(
                "IsFriendlyPiece",
                numbered.of_board(FRIENDLY),
                squares,
                about="an own piece is there",
            ),
            located("IsKingPiece", numbered.of_board(KING), squares, about="a king of either side"),
            located("IsManPiece", numbered.of_board(MAN), squares, about="a man of either side"),
            *FUNCTIONS,
        ),
    )


def _bind(variant: Variant) -> None:
    squares = variant.board.all
    last = variant.board.bit(variant.board.squares - 1)

    @kernels.look.register(variant.state)
    def look(state: State, wanted: int, inputs: Any) -> None:
        my_kings, their_kings = (
            popcount(state.mover & state.kings),
            popcount(state.other & state.kings),
        )
        my_men, their_men = popcount(state.mover) - my_kings, popcount(state.other) - their_kings
        mine, theirs = my_men + KING_FACTOR * my_kings, their_men + KING_FACTOR * their_kings
        inputs[ENEMY_KINGS], inputs[ENEMY_MEN], inputs[ENEMY_PIECES] = (
            their_kings,
            their_men,
            theirs,
        )
        inputs[MY_KINGS], inputs[MY_MEN], inputs[MY_PIECES] = my_kings, my_men, mine
        inputs[KINGS], inputs[MEN] = my_kings - their_kings, my_men - their_men
        inputs[PIECES] = mine - theirs
        if wanted & (1 << MOBILITY) != 0:
            inputs[MOBILITY] = kernels.mobility(state)

    @kernels.boards.register(variant.state)
    def boards(state: State, boards: Boards) -> int:
        taken = state.mover | state.other
        boards[EMPTY] = squares & ~taken
        boards[FRIENDLY] = state.mover
        boards[KING] = state.kings
        boards[MAN] = taken & ~state.kings
        return 0 if state.seat == 0 else last


for _variant in VARIANTS:
    _bind(_variant)
