"""The inputs and primitives of programs that evaluate chess positions.

The terminals follow Tables 4.2 and 4.3 of Sipper's "Evolved to Win". "My" is the side to move.
Mates are left out, since the search that asks the program sees them itself.
"""

from __future__ import annotations

from typing import Any

from engines.alphabeta import kernels
from engines.alphabeta.evaluators import Inputs
from engines.alphabeta.kernels import Boards
from engines.compiling.bits import Bits, flipped, lowest, popcount
from engines.compiling.jit import jitable, outlined
from engines.games.chess import board
from engines.games.chess.attacks import (
    NONE,
    ONE,
    diagonal,
    king_attacks,
    knight_attacks,
    pawn_attacks,
    straight,
)
from engines.games.chess.board import ChessState, kings
from engines.games.chess.evaluation import material
from engines.games.chess.exchange import VALUES
from engines.programs.board import BASICS, FUNCTIONS
from engines.programs.primitives import PrimitiveSet, located, terminal
from engines.programs.types import Type

KING_TARGETS, KING_STUCK, IN_CHECK, MATERIAL, MOBILITY = range(5)
SIDE = 5
"""The first input about a side; those of the other side follow."""
(
    PAWNS,
    KNIGHTS,
    BISHOPS,
    ROOKS,
    QUEENS,
    EDGE,
    ATTACKED,
    SAFE,
    ATTACKING,
    QUEEN_ATTACKED,
    FORK,
    ROOK_DISTANCE,
    SAME_LINE,
    KING_GUARDS,
    HANGING,
    PINNED,
    PER_SIDE,
) = range(17)
NO_ROOK = 8
"""`ROOK_DISTANCE` of a side without a rook."""
WHOLE = SIDE + 2 * PER_SIDE
EMPTY, FRIENDLY, PAWN, KNIGHT, DIAGONAL, STRAIGHT, BOARDS = range(7)
INPUTS = Inputs(WHOLE, tuple(range(64)), BOARDS)


def _of_sides(number: int, mine: str, theirs: str, about: str, kind: Type = Type.FLOAT) -> Any:
    """The terminals of one input, for both sides."""
    return tuple(
        terminal(name, SIDE + PER_SIDE * side + number, kind, about=about.format(whose))
        for side, (name, whose) in enumerate(((mine, "own"), (theirs, "enemy")))
    )


def _square(name: str, board: int, about: str) -> Any:
    return located(name, INPUTS.of_board(board), (range(1, 9), range(1, 9)), about=about)


PRIMITIVES = PrimitiveSet(
    "chess",
    (
        *BASICS,
        terminal("NumMovesMyKing", KING_TARGETS, about="squares the own king may step to"),
        terminal("NumNotMovesOppKing", KING_STUCK, about="squares next to its king it cannot use"),
        terminal("IsMyKingInCheck", IN_CHECK, Type.BOOLEAN, about="the own king is attacked"),
        terminal("EvaluateMaterial", MATERIAL, about="own material less its, in pawns"),
        terminal("Mobility", MOBILITY, about="the number of moves that the mover has"),
        *_of_sides(PAWNS, "MyPawnCount", "OppPawnCount", "{} pawns"),
        *_of_sides(KNIGHTS, "MyKnightCount", "OppKnightCount", "{} knights"),
        *_of_sides(BISHOPS, "MyBishopCount", "OppBishopCount", "{} bishops"),
        *_of_sides(ROOKS, "MyRookCount", "OppRookCount", "{} rooks"),
        *_of_sides(QUEENS, "MyQueenCount", "OppQueenCount", "{} queens"),
        *_of_sides(EDGE, "MyKingDistEdges", "OppKingDistEdges", "steps of the {} king to an edge"),
        *_of_sides(ATTACKED, "NumMyPiecesAttacked", "NumOppPiecesAttacked", "{} pieces attacked"),
        *_of_sides(
            SAFE, "NumMyPiecesNotAttacked", "NumOppPiecesNotAttacked", "{} pieces not attacked"
        ),
        *_of_sides(
            ATTACKING,
            "ValueMyPiecesAttacking",
            "ValueOppPiecesAttacking",
            "worth in pawns of {} pieces that attack a piece",
        ),
        *_of_sides(
            QUEEN_ATTACKED,
            "IsMyQueenAttacked",
            "IsOppQueenAttacked",
            "an {} queen is attacked",
            Type.BOOLEAN,
        ),
        *_of_sides(FORK, "IsMyFork", "IsOppFork", "an {} piece attacks two others", Type.BOOLEAN),
        *_of_sides(
            ROOK_DISTANCE, "MyKingDistRook", "OppKingDistRook", "steps of the {} king to its rook"
        ),
        *_of_sides(
            SAME_LINE,
            "MyPiecesSameLine",
            "OppPiecesSameLine",
            "two {} rooks or queens guard each other",
            Type.BOOLEAN,
        ),
        *_of_sides(
            KING_GUARDS,
            "IsMyKingProtectingPiece",
            "IsOppKingProtectingPiece",
            "the {} king guards a piece",
            Type.BOOLEAN,
        ),
        *_of_sides(
            HANGING,
            "MyPieceCanBeCaptured",
            "OppPieceCanBeCaptured",
            "an {} piece is attacked and not guarded",
            Type.BOOLEAN,
        ),
        *_of_sides(
            PINNED, "IsMyPiecePinned", "IsOppPiecePinned", "an {} piece is pinned", Type.BOOLEAN
        ),
        _square("IsEmptySquare", EMPTY, "nothing stands there"),
        _square("IsFriendlyPiece", FRIENDLY, "an own piece is there"),
        _square("IsPawn", PAWN, "a pawn of either side is there"),
        _square("IsKnight", KNIGHT, "a knight of either side is there"),
        _square("IsDiagonalSlider", DIAGONAL, "a bishop or a queen of either side is there"),
        _square("IsStraightSlider", STRAIGHT, "a rook or a queen of either side is there"),
        *FUNCTIONS,
    ),
)


@jitable
def _steps(one: int, other: int) -> int:
    return max(abs((one & 7) - (other & 7)), abs((one >> 3) - (other >> 3)))


@jitable
def _pins(state: ChessState, king: int, own: Bits, enemy: Bits) -> bool:
    """Whether one piece of `own` alone stands between its king and a slider of `enemy`."""
    taken = own | enemy
    rooks, bishops = straight(king, taken), diagonal(king, taken)
    behind_rooks = straight(king, taken ^ (rooks & own)) & ~rooks
    behind_bishops = diagonal(king, taken ^ (bishops & own)) & ~bishops
    sliders = behind_rooks & state.straights | behind_bishops & state.diagonals
    return bool(sliders & enemy != NONE)


@kernels.look.register(ChessState)
def _look(state: ChessState, wanted: int, inputs: Any) -> None:
    _look_around(state, wanted, inputs)


@outlined
def _look_around(state: ChessState, wanted: int, inputs: Any) -> None:
    inputs[IN_CHECK] = 1.0 if state.checkers != NONE else 0.0
    inputs[MATERIAL] = material(state) / 100
    if wanted & (1 << MOBILITY) != 0:
        inputs[MOBILITY] = kernels.mobility(state)
    if wanted & ~((1 << IN_CHECK) | (1 << MATERIAL) | (1 << MOBILITY)) == 0:
        return
    taken = state.own | state.enemy
    mine = _attacks(state, state.own, taken, inputs, SIDE)
    theirs = _attacks(state, state.enemy, taken, inputs, SIDE + PER_SIDE)
    near_own, near_enemy = (
        king_attacks(kings(state) & state.own),
        king_attacks(kings(state) & state.enemy),
    )
    inputs[KING_TARGETS] = popcount(near_own & ~state.own & ~theirs)
    inputs[KING_STUCK] = popcount(near_enemy & (state.enemy | mine))
    for side in range(2):
        own, enemy, guarded, danger = state.own, state.enemy, mine, theirs
        if side == 1:
            own, enemy, guarded, danger = enemy, own, danger, guarded
        _look_at_side(state, SIDE + PER_SIDE * side, own, enemy, guarded, danger, inputs)


@jitable
def _look_at_side(
    state: ChessState,
    first: int,
    own: Bits,
    enemy: Bits,
    guarded: Bits,
    danger: Bits,
    inputs: Any,
) -> None:
    """Write the inputs of one side from `first` on; it is in `danger` on squares of the enemy."""
    queens = own & state.diagonals & state.straights
    king_bit = kings(state) & own
    king = lowest(king_bit)
    rooks = own & state.straights & ~queens
    inputs[first + PAWNS] = popcount(own & state.pawns)
    inputs[first + KNIGHTS] = popcount(own & state.knights)
    inputs[first + BISHOPS] = popcount(own & state.diagonals & ~queens)
    inputs[first + ROOKS] = popcount(rooks)
    inputs[first + QUEENS] = popcount(queens)
    column, row = king & 7, king >> 3
    inputs[first + EDGE] = min(min(column, 7 - column), min(row, 7 - row))
    nearest = NO_ROOK
    while rooks != NONE:
        nearest = min(nearest, _steps(king, lowest(rooks)))
        rooks &= rooks - ONE
    inputs[first + ROOK_DISTANCE] = nearest
    hit = own & ~king_bit & danger
    inputs[first + ATTACKED] = popcount(hit)
    inputs[first + SAFE] = popcount(own & ~king_bit & ~danger)
    inputs[first + QUEEN_ATTACKED] = 1.0 if hit & queens != NONE else 0.0
    inputs[first + HANGING] = 1.0 if hit & ~guarded != NONE else 0.0
    inputs[first + KING_GUARDS] = 1.0 if king_attacks(king_bit) & own != NONE else 0.0
    inputs[first + PINNED] = 1.0 if _pins(state, king, own, enemy) else 0.0


@jitable
def _attacks(state: ChessState, own: Bits, taken: Bits, inputs: Any, first: int) -> Bits:
    """All squares that a side attacks; writes its inputs about single pieces."""
    pawns, enemy = own & state.pawns, taken & ~own
    if own & state.own != NONE:
        found = pawn_attacks(pawns)
    else:
        found = flipped(pawn_attacks(flipped(pawns)))
    forks, value, same_line = False, 0, False
    found |= king_attacks(kings(state) & own)
    left = own & ~pawns & ~kings(state)
    while left != NONE:
        square = lowest(left)
        bit = left & (~left + ONE)
        left ^= bit
        seen, worth = NONE, 0
        if bit & state.knights != NONE:
            seen, worth = knight_attacks(bit), VALUES[board.KNIGHT]
        if bit & state.diagonals != NONE:
            seen |= diagonal(square, taken)
            worth = VALUES[board.BISHOP]
        if bit & state.straights != NONE:
            lines = straight(square, taken)
            worth = VALUES[board.ROOK] if worth == 0 else VALUES[board.QUEEN]
            same_line |= lines & own & state.straights != NONE
            seen |= lines
        found |= seen
        hits = seen & enemy
        if hits != NONE:
            value += worth
            forks |= hits & (hits - ONE) != NONE
    inputs[first + ATTACKING] = value / 100
    inputs[first + FORK] = 1.0 if forks else 0.0
    inputs[first + SAME_LINE] = 1.0 if same_line else 0.0
    return found


@kernels.boards.register(ChessState)
def _show(state: ChessState, boards: Boards) -> int:
    boards[EMPTY] = ~(state.own | state.enemy)
    boards[FRIENDLY] = state.own
    boards[PAWN] = state.pawns
    boards[KNIGHT] = state.knights
    boards[DIAGONAL] = state.diagonals
    boards[STRAIGHT] = state.straights
    return 0
