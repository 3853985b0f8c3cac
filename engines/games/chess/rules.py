"""The laws besides movement: what a move changes, and when the game ends.

A game is drawn by stalemate, by the third occurrence of a position, after fifty moves of each side
without a capture or a pawn's move, and when no sequence of moves can lead to mate with the pieces
that are left. All of these end it at once; nobody has to claim them.
"""

from __future__ import annotations

import numpy as np

from engines.compiling.bits import Bits, flipped, lowest
from engines.compiling.jit import jitable
from engines.games.chess.attacks import NONE, ONE, RANK_1, S8, enemy_pawn_attacks
from engines.games.chess.board import (
    BISHOP,
    ENDLESS,
    KING,
    KNIGHT,
    PAWN,
    QUIET_LIMIT,
    ROOK,
    ChessState,
    enemy_attackers,
    kind_at,
    kings,
    passant_key,
    piece_key,
    rook_key,
)
from engines.games.chess.moves import can_move, count_moves, is_safe_passant

LIGHT = np.uint64(0x55AA_55AA_55AA_55AA)
"""The light squares."""
A_FILE, H_FILE = 0, 7


@jitable
def play(state: ChessState, move: int) -> ChessState:
    """The position after a legal move, seen by the other side."""
    source, target, promoted = move & 63, move >> 6 & 63, move >> 12
    here, there = ONE << np.uint64(source), ONE << np.uint64(target)
    kind = kind_at(state, source)
    key = state.key ^ passant_key(state.passant) ^ piece_key(kind, source)
    own, enemy = state.own ^ here | there, state.enemy & ~there
    rights, quiet = state.rights & ~(here | there), state.quiet + 1
    if kind == KING:
        rights &= ~RANK_1
    if rights != state.rights:
        key ^= _lost_rights(state.rights ^ rights)
    if state.enemy & there != NONE:
        key ^= flipped(piece_key(kind_at(state, target), target ^ 56))
        quiet = 0
    kept = ~(here | there)
    pawns, knights = state.pawns & kept, state.knights & kept
    diagonals, straights = state.diagonals & kept, state.straights & kept
    double = False
    if kind == PAWN:
        quiet = 0
        double = target - source == 16
        if there == state.passant:
            victim = there >> S8
            enemy, pawns = enemy ^ victim, pawns ^ victim
            key ^= flipped(piece_key(PAWN, lowest(victim) ^ 56))
        if promoted != 0:
            kind = promoted
    elif kind == KING and abs(target - source) == 2:
        rook_from = A_FILE if target < source else H_FILE
        rook_to = (source + target) >> 1
        rook = ONE << np.uint64(rook_from) | ONE << np.uint64(rook_to)
        own, straights = own ^ rook, straights ^ rook
        key ^= piece_key(ROOK, rook_from) ^ piece_key(ROOK, rook_to)
    key ^= piece_key(kind, target)
    if kind == PAWN:
        pawns |= there
    elif kind == KNIGHT:
        knights |= there
    elif kind != KING:
        if kind != ROOK:
            diagonals |= there
        if kind != BISHOP:
            straights |= there
    after = ChessState(
        flipped(enemy),
        flipped(own),
        flipped(pawns),
        flipped(knights),
        flipped(diagonals),
        flipped(straights),
        flipped(rights),
        NONE,
        NONE,
        flipped(key),
        quiet,
        state.left - 1,
        1 - state.seat,
    )
    return _with_checks(after, flipped(here << S8) if double else NONE)


@jitable
def _lost_rights(rooks: Bits) -> Bits:
    """The keys of castling rights on both sides."""
    key = NONE
    while rooks != NONE:
        square = lowest(rooks)
        if square < 8:
            key ^= rook_key(square)
        else:
            key ^= flipped(rook_key(square ^ 56))
        rooks &= rooks - ONE
    return key


@jitable
def _with_checks(state: ChessState, passant: Bits) -> ChessState:
    """The state with its checkers, and with the en-passant square if that capture is legal."""
    king = kings(state) & state.own
    checkers, key, possible = enemy_attackers(state, king), state.key, NONE
    if passant != NONE:
        takers = enemy_pawn_attacks(passant) & state.own & state.pawns
        if takers != NONE:
            checked = _replaced(state, NONE, checkers, key)
            while takers != NONE:
                source = takers & (~takers + ONE)
                if is_safe_passant(checked, lowest(king), source, passant):
                    possible = passant
                takers ^= source
            key ^= passant_key(possible)
    return _replaced(state, possible, checkers, key)


@jitable
def _replaced(state: ChessState, passant: Bits, checkers: Bits, key: Bits) -> ChessState:
    return ChessState(
        state.own,
        state.enemy,
        state.pawns,
        state.knights,
        state.diagonals,
        state.straights,
        state.rights,
        passant,
        checkers,
        key,
        state.quiet,
        state.left,
        state.seat,
    )


@jitable
def pass_turn(state: ChessState) -> ChessState:
    """The position with the other side to move; it does not repeat any earlier one."""
    after = ChessState(
        flipped(state.enemy),
        flipped(state.own),
        flipped(state.pawns),
        flipped(state.knights),
        flipped(state.diagonals),
        flipped(state.straights),
        flipped(state.rights),
        NONE,
        NONE,
        flipped(state.key ^ passant_key(state.passant)),
        0,
        state.left - 1,
        1 - state.seat,
    )
    return _with_checks(after, NONE)


@jitable
def is_dead(state: ChessState) -> bool:
    """Whether no sequence of moves leads to mate: bishops of one colour at most, or one knight."""
    if state.pawns | state.straights != NONE:
        return False
    if state.knights == NONE:
        return bool(state.diagonals & LIGHT == NONE or state.diagonals & ~LIGHT == NONE)
    return bool(state.diagonals == NONE and state.knights & (state.knights - ONE) == NONE)


@jitable
def is_over(state: ChessState) -> bool:
    if state.quiet >= QUIET_LIMIT or state.left <= 0 or is_dead(state):
        return True
    return not can_move(state)


@jitable
def is_mate(state: ChessState) -> bool:
    return bool(state.checkers != NONE and count_moves(state) == 0)


def assemble(
    boards: dict[str, int], rights: int, passant: int, quiet: int, seat: int, left: int = ENDLESS
) -> ChessState:
    """A state from boards seen by White, with its key, checkers and legal en-passant square."""

    def seen(board: int) -> Bits:
        bits = np.uint64(board)
        return flipped(bits) if seat else bits

    white, black = seen(boards["white"]), seen(boards["black"])
    bare = ChessState(
        black if seat else white,
        white if seat else black,
        seen(boards["pawns"]),
        seen(boards["knights"]),
        seen(boards["diagonals"]),
        seen(boards["straights"]),
        seen(rights),
        NONE,
        NONE,
        NONE,
        quiet,
        left,
        seat,
    )
    return _with_checks(_replaced(bare, NONE, NONE, whole_key(bare)), seen(passant))


def whole_key(state: ChessState) -> Bits:
    """The key of a position without an en-passant square, from nothing."""
    key = _lost_rights(state.rights)
    for square in range(64):
        bit = ONE << np.uint64(square)
        if state.own & bit:
            key ^= piece_key(kind_at(state, square), square)
        elif state.enemy & bit:
            key ^= flipped(piece_key(kind_at(state, square), square ^ 56))
    return key
