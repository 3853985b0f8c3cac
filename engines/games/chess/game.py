"""Games of chess for the ladder: starts, outcomes, observations, records and house bots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engines.alphabeta import kernels
from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.contests import NO_OPENING, RANDOM_MOVER, Opening, Searcher
from engines.alphabeta.history import History, begin, is_drawn
from engines.alphabeta.kernels import WIN
from engines.alphabeta.programs import BoardPrograms
from engines.competition import Outcome
from engines.display.records import PGN, GameRecord
from engines.games.chess import kernels as _registered  # noqa: F401
from engines.games.chess import notation, pgn
from engines.games.chess.board import ENDLESS, QUIET_LIMIT, ChessState
from engines.games.chess.drawing import draw
from engines.games.chess.endgames import PLIES, draw_start
from engines.games.chess.evaluation import MATERIAL, WHOLE, material
from engines.games.chess.fen import NAMES, START, read_fen, write_fen
from engines.games.chess.openings import read_openings
from engines.games.chess.programs import INPUTS, PRIMITIVES
from engines.games.chess.rules import is_dead, is_mate

DEPTHS = (1, 2, 3, 4, 5, 6, 8)
"""The deepest takes about 0.1 s for a move."""


@dataclass(frozen=True)
class ChessGame(BoardGame[History]):
    """Chess, or endgames of it; they differ in the start and in a limit of plies."""

    name: str
    title: str
    draw_probability: float
    begins: Callable[[int], ChessState]
    """The first position, from the seed."""
    plies: int = ENDLESS
    opening_rule: Opening = NO_OPENING

    record_format = PGN
    sides = NAMES
    graph = "Material"
    uci = True

    @cached_property
    def searchers(self) -> Mapping[str, Searcher]:
        return {
            "random": RANDOM_MOVER,
            "greedy": Searcher(1, MATERIAL, decided=WIN),
            **{f"alphabeta-{depth}": Searcher(depth, WHOLE, decided=WIN) for depth in DEPTHS},
        }

    @cached_property
    def programs(self) -> BoardPrograms:
        return BoardPrograms(self.name, PRIMITIVES, INPUTS, decided=WIN)

    def start(self, seed: int, seats: int = 2) -> History:
        return begin(self.begins(seed))

    def legal(self, state: History) -> Sequence[int]:
        return () if is_drawn(state) else notation.legal_moves(state.board)

    def outcome(self, state: History) -> Outcome | None:
        board = state.board
        if is_mate(board):
            winner = 1 - board.seat
            return Outcome((1.0 - winner, float(winner)), f"{NAMES[winner]} mates")
        if is_drawn(state):
            return _draw("The position occurs for the third time")
        if not kernels.over(board):
            return None
        if is_dead(board):
            return _draw("Neither side has enough pieces left to mate")
        if kernels.mobility(board._replace(quiet=0, left=ENDLESS)) == 0:
            return _draw(f"{NAMES[board.seat]} is stalemated")
        if board.left > 0:
            return _draw(f"Nothing was captured and no pawn moved for {QUIET_LIMIT // 2} moves")
        white, black = (float(kernels.score(board, seat)) for seat in range(2))
        ahead = "nobody" if white == black else NAMES[black > white]
        return Outcome(
            (white, black), f"{ahead.capitalize()} has more material after {self.plies // 2} moves"
        )

    def format(self, state: History, move: int) -> str:
        return notation.write_uci(state.board, move)

    def readable(self, state: History, move: int) -> str:
        return notation.write_san(state.board, move)

    def parse(self, state: History, text: str) -> int:
        return notation.parse_move(state.board, self.legal(state), text)

    def position(self, state: History) -> str:
        return notation.write_position(state, self.plies)

    def from_position(self, text: str) -> History:
        return notation.read_position(text, self.plies)

    def observation(self, state: History, seat: int) -> dict[str, Any]:
        return {
            "colour": NAMES[seat].lower(),
            "fen": self.fen(state),
            "check": bool(state.board.checkers),
        }

    def fen(self, state: History) -> str:
        """The position without its past, as FEN."""
        return write_fen(state.board, self.plies - state.board.left)

    def graphed(self, state: History) -> float:
        """White's material less Black's, in pawns."""
        ahead = material(state.board) / 100
        return -ahead if state.board.seat else ahead

    def svg(self, state: History, last: int | None = None) -> str:
        board = state.board
        squares = None
        if last is not None:
            turned = 0 if board.seat else 56
            squares = (last & 63) ^ turned, (last >> 6 & 63) ^ turned
        outcome = self.outcome(state)
        said = f"{NAMES[board.seat]} to move" if outcome is None else outcome.reason
        check = ", check" if board.checkers and outcome is None else ""
        return draw(f"{self.title}, {said}{check}", board, squares)

    def write_record(self, record: GameRecord) -> str:
        return pgn.write_pgn(record)


def _draw(reason: str) -> Outcome:
    return Outcome((0.5, 0.5), reason)


def _usual_start(seed: int) -> ChessState:
    return read_fen(START, ENDLESS)


CHESS = ChessGame(
    "chess", "Chess", 0.3, _usual_start, opening_rule=Opening((0, 0), lines=read_openings())
)
CHESS_ENDGAMES = ChessGame("chess-endgames", "Chess Endgames", 0.5, draw_start, plies=PLIES)
