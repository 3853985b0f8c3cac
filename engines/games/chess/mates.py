"""Chess Mates: problems whose answer is the key move of a forced mate in two or three moves.

A problem is one line of EPD with the number of moves: `6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 2;`. Every
move that forces mate in that number of moves solves it; our exact solver decides.
`prove/chess_mates.py` makes the problems from games of our own house bots.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from engines.alphabeta import kernels
from engines.alphabeta.contests import Searcher
from engines.alphabeta.kernels import WIN, new_stack
from engines.alphabeta.players import SearchPlayer
from engines.competition import BadPosition, HouseBots, IllegalMove
from engines.display.notation import quoted
from engines.games.chess import kernels as _registered  # noqa: F401
from engines.games.chess import notation
from engines.games.chess.board import ENDLESS, ChessState
from engines.games.chess.drawing import draw
from engines.games.chess.evaluation import WHOLE
from engines.games.chess.fen import NAMES, read_fen, write_fen
from engines.games.chess.solver import begins_mate, keys
from engines.puzzle import Puzzle

FILE = Path(__file__).with_name("mates.txt")
INSTANCES = 10
"""Problems of a match."""
MOST = 3
"""The most moves of a mate."""

_END = re.compile(rf" dm ([1-{MOST}]);")


class Mate(NamedTuple):
    """A problem: the position, and the number of the mover's moves until mate."""

    state: ChessState
    moves: int


class ChessMates(Puzzle[Mate, int]):
    """A solution is the key move."""

    name = "chess-mates"
    title = "Chess Mates"
    draw_probability = 0.3

    @cached_property
    def house_bots(self) -> HouseBots:
        return {
            "random": partial(RandomMove, _all_moves),
            "checks": partial(RandomMove, _checks),
            **{
                f"alphabeta-{depth}": partial(Searching, Searcher(depth, WHOLE, decided=WIN))
                for depth in (1, 2, 3, 4)
            },
            "solver": lambda seed: Solver(),
        }

    def instances(self, seed: int) -> Sequence[Mate]:
        return [self.from_text(text) for text in random.Random(seed).sample(problems(), INSTANCES)]

    def text(self, instance: Mate) -> str:
        board = " ".join(write_fen(instance.state, 0).split(" ")[:4])
        return f"{board} dm {instance.moves};"

    def from_text(self, text: str) -> Mate:
        found = _END.search(text) if isinstance(text, str) and len(text) < 120 else None
        if found is None or found.end() != len(text):
            raise BadPosition(
                f"a problem is four fields of a FEN and the number of moves 1 to {MOST}, such as"
                f" '6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1;', not {quoted(text)}"
            )
        return Mate(read_fen(f"{text[: found.start()]} 0 1", ENDLESS), int(found[1]))

    def observation(self, instance: Mate) -> dict[str, Any]:
        state = instance.state
        return {
            "fen": write_fen(state, 0),
            "moves": instance.moves,
            "legal": [notation.write_uci(state, move) for move in notation.legal_moves(state)],
        }

    def solution(self, instance: Mate, answer: Any) -> int:
        state, moves = instance
        move = notation.parse_move(state, notation.legal_moves(state), answer)
        if not begins_mate(state, move, moves, new_stack()):
            raise IllegalMove(f"after {answer} the other side avoids mate in {moves}")
        return move

    def answer(self, instance: Mate, solution: int) -> str:
        return notation.write_uci(instance.state, solution)

    def steps(self, instance: Mate, solution: int) -> Sequence[str]:
        return [notation.write_san(instance.state, solution)]

    def svg(self, instance: Mate, solution: int | None = None, step: int = 0) -> str:
        state = instance.state
        title = f"Chess Mates, {NAMES[state.seat]} mates in {instance.moves}"
        if solution is None or step == 0:
            return draw(title, state)
        turned = 56 if state.seat else 0
        squares = (solution & 63) ^ turned, (solution >> 6 & 63) ^ turned
        return draw(title, kernels.play(state, solution), squares)


@lru_cache(1)
def problems() -> tuple[str, ...]:
    """All problems, as text."""
    return tuple(FILE.read_text().splitlines())


def _all_moves(state: ChessState) -> Sequence[int]:
    return notation.legal_moves(state)


def _checks(state: ChessState) -> Sequence[int]:
    moves = notation.legal_moves(state)
    return [move for move in moves if kernels.play(state, move).checkers] or moves


class RandomMove:
    def __init__(self, moves: Callable[[ChessState], Sequence[int]], seed: int) -> None:
        self._moves, self._random = moves, random.Random(seed)

    def choose(self, state: Mate, seat: int) -> int | None:
        move = self._random.choice(self._moves(state.state))
        # A player answers with a solution, or with nothing.
        return move if begins_mate(state.state, move, state.moves, new_stack()) else None


class Searching:
    """Takes the move of a search, if it solves the problem."""

    def __init__(self, searcher: Searcher, seed: int) -> None:
        self._player = SearchPlayer(searcher, seed)

    def choose(self, state: Mate, seat: int) -> int | None:
        move = self._player.choose(state.state, seat)
        return move if begins_mate(state.state, move, state.moves, new_stack()) else None


class Solver:
    def choose(self, state: Mate, seat: int) -> int | None:
        return next(iter(keys(state.state, state.moves)), None)


CHESS_MATES = ChessMates()
