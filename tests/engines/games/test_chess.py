"""Chess against python-chess, slow restatements, its own symmetries, its laws and bad input."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from datetime import datetime

import chess
import chess.pgn
import numpy as np
import pytest

from engines.alphabeta import kernels
from engines.alphabeta.contests import Searcher, contest, draw_opening
from engines.alphabeta.evaluators import describe
from engines.alphabeta.kernels import WIN
from engines.alphabeta.search import Search, Switches
from engines.competition import BadPosition, IllegalMove
from engines.display.records import GameRecord, RecordedMove
from engines.games.chess.attacks import diagonal, straight
from engines.games.chess.board import ENDLESS, ChessState
from engines.games.chess.endgames import PLIES
from engines.games.chess.evaluation import MATERIAL, WHOLE
from engines.games.chess.exchange import VALUES, holds_exchange
from engines.games.chess.fen import START, read_fen
from engines.games.chess.game import CHESS, CHESS_ENDGAMES
from engines.games.chess.notation import read_uci, write_uci
from engines.games.chess.programs import INPUTS, PRIMITIVES
from engines.games.chess.rules import whole_key

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
WORTH = {1: 100, 2: 320, 3: 330, 4: 500, 5: 950, 6: 20_000}


def walk(seed: int, plies: int = 120) -> Iterator[tuple[chess.Board, ChessState]]:
    """The positions of a random game; captures are more likely, so that material varies."""
    draw, board = random.Random(seed), chess.Board()
    state = read_fen(START, ENDLESS)
    while board.ply() < plies and not board.is_game_over() and state.quiet < 100:
        yield board, state
        moves = list(board.legal_moves)
        captures = [move for move in moves if board.is_capture(move)]
        move = draw.choice(captures if captures and draw.random() < 0.3 else moves)
        state = kernels.play(state, read_uci(state, move.uci()))
        board.push(move)


@pytest.mark.parametrize("seed", range(6))
def test_python_chess_agrees(seed: int) -> None:
    for board, state in walk(seed):
        assert read_fen(board.fen(), ENDLESS) == state
        key = whole_key(state)
        assert state.passant or key == state.key
        expected = sorted(move.uci() for move in board.legal_moves)
        stack = kernels.new_stack()
        found = stack[: kernels.moves(state, stack, 0)].tolist()
        assert sorted(write_uci(state, move) for move in found) == expected
        assert kernels.mobility(state) == len(expected)
        taken = stack[: kernels.captures(state, stack, 0)].tolist()
        for move in taken:
            uci = chess.Move.from_uci(write_uci(state, move))
            assert board.is_capture(uci) or uci.promotion == chess.QUEEN
        assert bool(state.checkers) == board.is_check()


def test_sliders_stop_at_the_first_piece() -> None:
    draw = random.Random(1)
    for _ in range(300):
        taken, square = draw.getrandbits(64) & draw.getrandbits(64), draw.randrange(64)
        board = chess.Board.empty()
        for other in chess.SquareSet(taken & ~(1 << square)):
            board.set_piece_at(other, chess.Piece(chess.PAWN, chess.WHITE))
        for kind, attacks in ((chess.ROOK, straight), (chess.BISHOP, diagonal)):
            board.set_piece_at(square, chess.Piece(kind, chess.WHITE))
            assert int(attacks(square, np.uint64(taken))) == board.attacks_mask(square)


def best_exchange(board: chess.Board, taken: int, target: int, side: bool, prize: int) -> int:
    """What a side wins by capturing on a square, or 0 if it had better not; pins do not count."""
    attackers = list(chess.SquareSet(board.attackers_mask(side, target, taken) & taken))
    if not attackers:
        return 0
    source = min(attackers, key=lambda square: WORTH[board.piece_type_at(square) or 0])
    kind = board.piece_type_at(source) or 0
    left = taken & ~(1 << source)
    if kind == chess.KING and board.attackers_mask(not side, target, left) & left:
        return 0
    return max(0, prize - best_exchange(board, left, target, not side, WORTH[kind]))


@pytest.mark.parametrize("seed", range(3))
def test_exchanges_follow_a_slow_restatement(seed: int) -> None:
    losing = 0
    for board, state in walk(seed):
        for move in board.legal_moves:
            if move.promotion or board.is_castling(move):
                continue
            taken = board.occupied & ~(1 << move.from_square) | 1 << move.to_square
            prize = WORTH.get(board.piece_type_at(move.to_square) or 0, 0)
            if board.is_en_passant(move):
                prize = WORTH[chess.PAWN]
                taken &= ~(1 << move.to_square + (-8 if board.turn else 8))
            risked = WORTH[board.piece_type_at(move.from_square) or 0]
            worth = prize - best_exchange(board, taken, move.to_square, not board.turn, risked)
            assert holds_exchange(state, read_uci(state, move.uci())) == (worth >= 0)
            losing += worth < 0
    assert losing > 100
    assert VALUES.tolist()[1:5] == [WORTH[kind] for kind in (1, 2, 3, 4)]


@pytest.mark.parametrize("evaluation", [MATERIAL, WHOLE])
def test_evaluations_take_the_movers_side(evaluation: int) -> None:
    for board, state in walk(7):
        value = kernels.evaluate(state, evaluation)
        assert abs(value) < 20_000
        mirrored = read_fen(board.mirror().fen(), ENDLESS)
        assert kernels.evaluate(mirrored, evaluation) == value
        if not board.is_check():
            assert kernels.evaluate(kernels.pass_turn(state), evaluation) == -value


def test_mirrored_positions_have_other_keys() -> None:
    first = read_fen(KIWIPETE, ENDLESS)
    second = read_fen(chess.Board(KIWIPETE).mirror().fen(), ENDLESS)
    assert first.key == second.key
    assert kernels.key(first) != kernels.key(second)


@pytest.mark.parametrize(
    ("position", "scores", "reason"),
    [
        ("7k/5KQ1/8/8/8/8/8/8 b - - 0 1", (1, 0), "White mates"),
        ("8/8/8/8/8/6q1/5k2/7K w - - 100 80", (0.5, 0.5), "White is stalemated"),
        ("8/8/8/8/8/8/5kq1/7K w - - 100 80", (0, 1), "Black mates"),
        ("8/8/8/8/8/5k2/8/R6K w - - 100 80", (0.5, 0.5), "no pawn moved for 50 moves"),
        ("8/8/8/8/8/5k2/8/N6K w - - 0 1", (0.5, 0.5), "enough pieces"),
        ("8/8/2b5/8/8/5k2/8/2B4K w - - 0 1", None, ""),
        ("8/8/1b6/8/8/5k2/8/2B4K w - - 0 1", (0.5, 0.5), "enough pieces"),
        ("8/8/8/8/8/5k2/8/NN5K w - - 0 1", None, ""),
        (
            "6k1/8/8/8/8/8/8/R5K1 w - - 0 1 moves a1b1 g8h8 b1a1 h8g8 a1b1 g8h8 b1a1 h8g8",
            (0.5, 0.5),
            "third time",
        ),
        ("6k1/8/8/8/8/8/8/R5K1 w - - 0 1 moves a1b1 g8h8 b1a1 h8g8", None, ""),
        (START, None, ""),
    ],
)
def test_ends(position: str, scores: tuple[float, float] | None, reason: str) -> None:
    state = CHESS.from_position(position)
    outcome = CHESS.outcome(state)
    if scores is None:
        assert outcome is None
        assert CHESS.legal(state)
    else:
        assert outcome is not None
        assert outcome.scores == scores
        assert reason in outcome.reason
        assert not CHESS.legal(state)
        with pytest.raises(IllegalMove, match="the game is over"):
            CHESS.parse(state, "a1a2")


def test_insufficient_material_agrees_with_python_chess() -> None:
    draw = random.Random(3)
    for _ in range(400):
        squares = draw.sample(range(64), 5)
        board = chess.Board.empty()
        board.set_piece_at(squares[0], chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(squares[1], chess.Piece(chess.KING, chess.BLACK))
        for square in squares[2 : 2 + draw.randrange(4)]:
            kind = draw.choice([chess.KNIGHT, chess.BISHOP, chess.BISHOP, chess.PAWN])
            board.set_piece_at(square, chess.Piece(kind, draw.random() < 0.5))
        if board.is_valid() and not board.is_checkmate() and not board.is_stalemate():
            outcome = CHESS.outcome(CHESS.from_position(board.fen()))
            assert (outcome is not None) == board.is_insufficient_material(), board.fen()


def test_castling_rights_end_with_the_rook() -> None:
    state = CHESS.from_position("r3k2r/8/8/8/8/8/6b1/R3K2R b KQkq - 0 1")
    after = CHESS.play(state, CHESS.parse(state, "g2h1"))
    assert CHESS.fen(after).split()[2] == "Qkq"
    assert "e1c1" in [CHESS.format(after, move) for move in CHESS.legal(after)]
    assert CHESS.readable(after, CHESS.parse(after, "e1c1")) == "O-O-O"


@pytest.mark.parametrize(
    ("fen", "move", "sentence"),
    [
        (START, "e4", "write moves like e2e4"),
        (START, "e2e9", "is not a move"),
        (START, "0000", "is not a move"),
        (START, "e3e4", "no piece of White on e3"),
        (START, "e7e5", "no piece of White on e7"),
        (START, "e2e5", "the pawn on e2 cannot move to e5"),
        (START, "a1a2", "the rook on a1 cannot move now"),
        (START, "e1g1", "castling e1g1 is not possible"),
        (START, "e2e4q", "e2e4q is no promotion: write e2e4"),
        ("7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8", "write a7a8q"),
        ("7k/8/8/8/8/8/4r3/K3Q2r w - - 0 1", "e1e2", "cannot move to e2"),
        ("7k/8/8/8/8/8/8/K6r w - - 0 1", "a1b1", "does not end the check"),
    ],
)
def test_illegal_moves_are_explained(fen: str, move: str, sentence: str) -> None:
    state = CHESS.from_position(fen)
    with pytest.raises(IllegalMove, match=sentence):
        CHESS.parse(state, move)


DEFECTS = {
    "": "six fields",
    "8/8/8/8/8/8/8/8": "six fields",
    f"{START} extra": "six fields",
    START.replace(" w ", "  w "): "six fields",
    "8/8/8/8/8/8/8 w - - 0 1": "eight rows with / between them, not 7",
    "8/8/8/8/8/8/8/8/8 w - - 0 1": "not 9",
    "rnbqkbnr/ppppXppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "row 7 has 'X'",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP/RNBQKBNR w KQkq - 0 1": "row 2 has 7 squares",
    "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "row 6 has '9'",
    "rnbqkbnr/pppppppp/44/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": "two numbers side by side",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN~R w KQkq - 0 1": "row 1 has '~'",
    START.replace(" w ", " x "): "the side to move is 'w' or 'b'",
    START.replace(" w ", " W "): "the side to move is 'w' or 'b'",
    START.replace("KQkq", "KQkx"): "castling is '-' or letters of KQkq",
    START.replace("KQkq", "HAha"): "Chess960",
    START.replace("KQkq", "KKQk"): "a right twice",
    START.replace("KQkq", "qkQK"): "the order KQkq",
    START.replace("KQkq -", "KQkq e9"): "'-' or a square",
    START.replace("KQkq -", "KQkq e3"): "on row 6, not e3",
    START.replace("KQkq -", "KQkq e6"): "needs a pawn on e5 that came from e7",
    START.replace("- 0 1", "- -1 1"): "number of plies",
    START.replace("- 0 1", "- 0.5 1"): "number of plies",
    START.replace("- 0 1", "- 151 1"): "0 to 150",
    START.replace("- 0 1", "- 00 1"): "number of plies",
    START.replace("- 0 1", "- 0 0"): "number of the move is 1 to 9999",
    START.replace("- 0 1", "- 0 ½"): "number of the move",
    "8/8/8/8/8/8/8/8 w - - 0 1": "White has 0 kings",
    "4k3/8/8/8/8/8/8/K1K5 w - - 0 1": "White has 2 kings",
    "8/8/8/8/8/8/8/K7 w - - 0 1": "Black has 0 kings",
    "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1": "White has 9 pawns",
    "4k3/8/8/8/8/NNNNNNNN/PPPPPPPP/4K3 w - - 0 1": "17 pieces",
    "4k3/8/8/8/8/QQ6/PPPPPPPP/4K3 w - - 0 1": "1 promoted pieces and 8 pawns",
    "4k2P/8/8/8/8/8/8/4K3 w - - 0 1": "a pawn on h8",
    "4k3/8/8/8/8/8/8/p3K3 w - - 0 1": "a pawn on a1",
    "4k3/8/8/8/8/8/8/4K2R w Q - 0 1": "a king on e1 and a rook on a1",
    "4k2r/8/8/8/8/8/8/4K3 w q - 0 1": "a rook on a8",
    "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1": "Black is in check, but White is to move",
    "8/8/8/8/8/8/4k3/4K3 w - - 0 1": "the two kings stand side by side",
    "4r2k/8/8/b7/8/8/8/r3K3 w - - 0 1": "3 pieces give check",
    f"{START} moves e2e5": "move 1 after the FEN: the pawn on e2 cannot move to e5",
    f"{START} moves e2e4 e7": "move 2 after the FEN",
    f"{START} moves {' '.join(['e2e4'] * 101)}": "at most 100 moves",
}


@pytest.mark.parametrize("text", DEFECTS)
def test_defects_of_positions_have_their_own_sentences(text: str) -> None:
    with pytest.raises(BadPosition) as caught:
        CHESS.from_position(text)
    assert DEFECTS[text] in str(caught.value)


def test_a_position_keeps_its_past() -> None:
    state = CHESS.start(0)
    for text in ("e2e4", "e7e5", "g1f3", "b8c6"):
        state = CHESS.play(state, CHESS.parse(state, text))
    fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert CHESS.position(state) == f"{fen} moves g1f3 b8c6"
    board = chess.Board(fen)
    board.push_uci("g1f3")
    board.push_uci("b8c6")
    assert CHESS.observation(state, 1) == {"colour": "black", "fen": board.fen(), "check": False}


def test_openings_are_legal_different_and_played_by_contests() -> None:
    lines = CHESS.opening_rule.lines
    assert len(set(lines)) == len(lines) >= 200
    for line in lines:
        state = CHESS.start(0)
        for move in line:
            assert move in CHESS.legal(state)
            state = CHESS.play(state, move)
        assert CHESS.outcome(state) is None
    assert len({draw_opening(CHESS, seed) for seed in range(50)}) > 30
    played = contest(CHESS, [Searcher(0), Searcher(0)], 5)
    assert played.moves[: played.opening] == draw_opening(CHESS, 5)


def test_openings_are_balanced() -> None:
    search = Search(WHOLE)
    for line in CHESS.opening_rule.lines[::25]:
        state = CHESS.start(0)
        for move in line:
            state = CHESS.play(state, move)
        assert abs(search.find(state.board, CHESS.legal(state), 8, decided=WIN).value) <= 30


def test_endgames_start_quiet_and_even() -> None:
    kinds = set()
    for seed in range(60):
        state = CHESS_ENDGAMES.start(seed)
        board = chess.Board(CHESS_ENDGAMES.fen(state))
        assert board.is_valid()
        assert board.turn
        for colour in chess.COLORS:
            for square in chess.SquareSet(board.occupied_co[colour]):
                assert not board.is_attacked_by(not colour, square)
        mine, theirs = (
            "".join(
                sorted(
                    piece.symbol().upper()
                    for piece in board.piece_map().values()
                    if piece.color == colour
                )
            )
            for colour in chess.COLORS
        )
        assert mine == theirs
        kinds.add(mine)
    assert kinds == {"KR", "KRR", "KQ", "KQR"}


@pytest.mark.parametrize(
    ("board", "scores", "reason"),
    [
        ("k7/8/8/8/8/8/R7/K7 b - - 99 51", (0.5, 0.5), ""),
        ("6k1/8/8/8/8/8/8/RR4K1 w - - 0 51", (0.75, 0.25), "White has more material"),
        ("6k1/q7/8/8/8/8/8/R5K1 w - - 0 51", (0.25, 0.75), "Black has more material"),
        ("6k1/r7/8/8/8/8/8/R5K1 w - - 100 51", (0.5, 0.5), "Nobody has more material"),
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 50", (1, 0), "White mates"),
    ],
)
def test_endgames_end_after_fifty_moves(
    board: str, scores: tuple[float, float], reason: str
) -> None:
    state = CHESS_ENDGAMES.from_position(board)
    outcome = CHESS_ENDGAMES.outcome(state)
    if reason:
        assert outcome is not None
        assert outcome.scores == scores
        assert reason in outcome.reason
        told = tuple(float(kernels.score(state.board, seat)) for seat in range(2))
        assert told == scores
    else:
        assert state.board.left <= 0 or outcome is None
    assert PLIES == 100


def test_the_search_mates_and_escapes() -> None:
    search = Search(WHOLE)

    def best(fen: str, depth: int) -> tuple[str, int]:
        state = CHESS.from_position(fen)
        found = search.find(state.board, CHESS.legal(state), depth, decided=WIN, past=state.past)
        return CHESS.readable(state, found.move), found.value

    assert best("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 2) == ("Ra8#", WIN + 1)
    assert best("2k2B2/8/8/2N5/4P3/8/6K1/1R6 w - - 3 38", 4)[1] == WIN + 1
    # The side that is far behind checks for ever, since a third occurrence is a draw.
    assert best("5rk1/5ppp/8/6Q1/8/8/1q4PP/r5BK w - - 0 1", 6)[1] <= 0


@pytest.mark.parametrize("off", [Switches.NULL_MOVE, Switches.REDUCTIONS, Switches.EXTENSIONS])
def test_each_switch_changes_the_search(off: Switches) -> None:
    state = CHESS.from_position(KIWIPETE)
    nodes = {
        Search(WHOLE, switches).find(state.board, CHESS.legal(state), 5).nodes
        for switches in (Switches.ALL, Switches.ALL & ~off)
    }
    assert len(nodes) == 2


def test_programs_see_what_python_chess_sees() -> None:
    names = {one.name: one for one in PRIMITIVES.primitives}
    for board, state in walk(11):
        inputs = describe(state, INPUTS)

        def told(name: str, inputs: object = inputs) -> float:
            return inputs[names[name].number]  # type: ignore[index, no-any-return]

        for colour, side in ((board.turn, "My"), (not board.turn, "Opp")):
            counts = {"Pawn": 1, "Knight": 2, "Bishop": 3, "Rook": 4, "Queen": 5}
            for name, kind in counts.items():
                assert told(f"{side}{name}Count") == len(board.pieces(kind, colour))
            attacked = [
                square
                for square in chess.SquareSet(board.occupied_co[colour])
                if square != board.king(colour) and board.is_attacked_by(not colour, square)
            ]
            assert told(f"Num{side}PiecesAttacked") == len(attacked)
            hanging = any(not board.is_attacked_by(colour, square) for square in attacked)
            assert told(f"{side}PieceCanBeCaptured") == hanging
            pinned = any(
                board.is_pinned(colour, square)
                for square in chess.SquareSet(board.occupied_co[colour])
                if square != board.king(colour)
            )
            assert told(f"Is{side}PiecePinned") == pinned
            forks = any(
                len(board.attacks(square) & chess.SquareSet(board.occupied_co[not colour])) > 1
                for kind in range(2, 6)
                for square in board.pieces(kind, colour)
            )
            assert told(f"Is{side}Fork") == forks
        assert told("IsMyKingInCheck") == board.is_check()
        assert told("Mobility") == board.legal_moves.count()


def test_records_are_pgn_that_others_read() -> None:
    state = CHESS.start(0)
    moves = []
    for ply, text in enumerate(("f2f3", "e7e5", "g2g4", "d8h4")):
        moves.append(RecordedMove(ply % 2, text, 0.25))
        state = CHESS.play(state, CHESS.parse(state, text))
    record = GameRecord(
        event='Match 1, "ranked"',
        place="Evoladder",
        at=datetime(2026, 1, 2, 3, 4, 5),
        players=("ann]", "bob\n"),
        moves=moves,
        scores=(0.0, 1.0),
        start=CHESS.position(CHESS.start(0)),
    )
    text = CHESS.write_record(record)
    assert text.endswith("\n")
    read = chess.pgn.read_game(io.StringIO(text))
    assert read is not None
    assert not read.errors
    assert read.headers["White"] == "ann]"
    assert read.headers["Result"] == "0-1"
    assert read.end().board().is_checkmate()
    assert "Qh4#" in text


def test_records_of_endgames_name_their_start() -> None:
    state = CHESS_ENDGAMES.start(3)
    record = GameRecord(
        event="Match 1",
        place="Evoladder",
        at=datetime(2026, 1, 2),
        players=("ann", "bob"),
        moves=[],
        scores=(0.75, 0.25),
        start=CHESS_ENDGAMES.position(state),
    )
    read = chess.pgn.read_game(io.StringIO(CHESS_ENDGAMES.write_record(record)))
    assert read is not None
    assert read.board().fen() == CHESS_ENDGAMES.fen(state)
    assert read.headers["Result"] == "1-0"
