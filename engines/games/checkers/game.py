"""Checkers for the ladder: openings, outcomes, observations, pictures and house bots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engines.alphabeta import kernels
from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.contests import RANDOM_MOVER, Opening, Searcher
from engines.alphabeta.kernels import MOST_MOVES, WIN
from engines.alphabeta.programs import BoardPrograms
from engines.alphabeta.search import Switches
from engines.competition import Outcome
from engines.display.drawing import CELL, MARGIN, cell, disc, group, panel, picture, trail
from engines.display.records import PDN, GameRecord, write_pdn
from engines.games.checkers import notation
from engines.games.checkers.evaluation import EXPERT, MAN, MATERIAL_HIGH, MATERIAL_LOW, RANDOM
from engines.games.checkers.notation import SIDES
from engines.games.checkers.programs import inputs, primitives
from engines.games.checkers.rules import NONE, QUIET_LIMIT, State
from engines.games.checkers.variants import CHECKERS, CHECKERS_10X10, LOSE_CHECKERS, Variant

NAMES = ("Black", "White")
PLAIN = Switches.FIXED_DEPTH
"""The search of the book's players: exactly to the given depth."""


@dataclass(frozen=True)
class CheckersGame(BoardGame[State]):
    """One game of the family; the variants differ in board and aim."""

    variant: Variant
    name: str
    title: str
    draw_probability: float
    guide: range
    """The evaluations from which its plain searchers draw."""
    depths: Sequence[int]
    """Their depths; the first one sees less than `greedy`, which resolves captures."""
    expert_depths: Sequence[int] = ()
    """Depths of searchers that resolve captures and know places; a move takes them below 50 ms."""
    house_revision: int = 2
    pdn_type: str = ""
    """Its number among the variants of PDN."""

    record_format = PDN
    sides = NAMES

    # No side may be more than a man ahead, now or after the following captures.
    opening_rule = Opening((4, 6), judge=MATERIAL_LOW, most=MAN)

    @cached_property
    def searchers(self) -> Mapping[str, Searcher]:
        first, *others = self.depths
        plain = {
            f"alphabeta-{depth}": Searcher(depth, self.guide, PLAIN, WIN)
            for depth in (first, *others)
        }
        return {
            "random": RANDOM_MOVER,
            f"alphabeta-{first}": plain.pop(f"alphabeta-{first}"),
            "greedy": Searcher(1, MATERIAL_LOW),
            **plain,
            **{
                f"expert-{depth}": Searcher(depth, EXPERT, decided=WIN)
                for depth in self.expert_depths
            },
        }

    @cached_property
    def programs(self) -> BoardPrograms:
        board = self.variant.board
        return BoardPrograms(self.name, primitives(board), inputs(board), PLAIN, WIN)

    def start(self, seed: int, seats: int = 2) -> State:
        board = self.variant.board
        men, all_squares = board.pieces, board.squares
        return self.variant.state(  # type: ignore[no-any-return]
            board.bits(range(men)), board.bits(range(all_squares - men, all_squares)), NONE, 0, 0
        )

    def legal(self, state: State) -> Sequence[int]:
        stack = kernels.new_stack(MOST_MOVES)
        moves = stack[: kernels.moves(state, stack, 0)].tolist()
        return tuple(sorted(moves, key=lambda move: notation.path(self.variant.board, move)))

    def outcome(self, state: State) -> Outcome | None:
        if not kernels.over(state):
            return None
        result = kernels.result(state)
        if result == 0:
            reason = f"Nothing was captured and no man moved for {QUIET_LIMIT} moves"
            return Outcome((0.5, 0.5), reason)
        scores = (float(result > 0), float(result < 0))
        loss = "has no pieces left" if state.mover == NONE else "cannot move"
        won = ", and wins" if self.variant.losing else ""
        reason = f"{NAMES[state.seat]} {loss}{won}"
        return Outcome(scores if state.seat == 0 else scores[::-1], reason)

    def format(self, state: State, move: int) -> str:
        return notation.format_move(self.variant.board, move)

    def parse(self, state: State, text: str) -> int:
        legal = {self.format(state, move): move for move in self.legal(state)}
        return notation.parse_move(self.variant.board, state, legal, text)

    def position(self, state: State) -> str:
        return notation.format_position(self.variant.board, state)

    def from_position(self, text: str) -> State:
        return notation.parse_position(self.variant, text)

    def observation(self, state: State, seat: int) -> dict[str, Any]:
        return {"mark": SIDES[seat], "board": self._rows(state), "quiet": int(state.quiet)}

    def svg(self, state: State, last: int | None = None) -> str:
        board = self.variant.board
        size = board.size
        squares = [board.cell(square) for square in range(board.squares)]
        said = f"{NAMES[state.seat]} to move"
        outcome = self.outcome(state)
        if outcome is not None:
            said = outcome.reason
        touched = [] if last is None else notation.path(board, last)
        return picture(
            f"{self.title}, {said}",
            size,
            size,
            [
                panel(size, size, "#e9d9b8"),
                group((cell(*place) for place in squares), fill="#7d5a3c"),
                group((cell(*squares[square]) for square in touched), fill="#a3813f"),
                _numbers(squares),
                *self._drawn(state),
                trail(squares[square] for square in touched) if touched else "",
            ],
        )

    def write_record(self, record: GameRecord) -> str:
        return write_pdn(record, NAMES[0], self.pdn_type)

    def _rows(self, state: State) -> list[str]:
        """All rows from the first mover's side on; light squares count as empty."""
        board = self.variant.board
        size = board.size
        rows = [["."] * size for _ in range(size)]
        for square, char in enumerate(notation.cells(board, state)):
            column, row = board.cell(square)
            rows[row][column] = char
        return ["".join(row) for row in rows]

    def _drawn(self, state: State) -> list[str]:
        """Discs of both sides; a king shows a smaller disc of the other colour."""
        board = self.variant.board
        cells = notation.cells(board, state)
        colours = {"b": "#1d1f22", "w": "#f6f3ea"}

        def discs(chars: str, radius: float) -> list[str]:
            squares = [square for square in range(board.squares) if cells[square] in chars]
            return [disc(*board.cell(square), radius) for square in squares]

        parts = []
        for side, other in zip(SIDES, reversed(SIDES), strict=True):
            parts.append(group(discs(side + side.upper(), 8), fill=colours[side]))
            parts.append(group(discs(side.upper(), 3), fill=colours[other]))
        return parts


def _numbers(squares: Sequence[tuple[int, int]]) -> str:
    """The number of each square, in its corner."""
    texts = (
        f'<text x="{MARGIN + column * CELL + 1}" y="{MARGIN + row * CELL + 5}">{index}</text>'
        for index, (column, row) in enumerate(squares, start=1)
    )
    return group(texts, fill="#cdb391", font_size="5", font_family="sans-serif")


COUNTING = range(MATERIAL_LOW, MATERIAL_HIGH + 1)
NOISE = range(RANDOM, RANDOM + (1 << 48))
"""Draws a random evaluation for each move."""

AMERICAN = CheckersGame(
    CHECKERS,
    "checkers",
    "Checkers",
    0.4,
    COUNTING,
    depths=(2, 3, 5, 7),
    expert_depths=(5, 7, 9),
    pdn_type="21,B,8,8,N1,0",
)
LOSING = CheckersGame(
    LOSE_CHECKERS, "lose-checkers", "Lose Checkers", 0.01, NOISE, depths=range(2, 9)
)
LARGE = CheckersGame(
    CHECKERS_10X10,
    "checkers-10x10",
    "Checkers 10x10",
    0.6,
    COUNTING,
    depths=(2, 3, 5, 7),
    expert_depths=(5, 7),
)
