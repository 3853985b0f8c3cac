"""The effect of each improvement of the search: a table of nodes and times by depth.

`python -m bench.search_table [GAME]` prints it.

Rows are depths; columns are plain minimax, then alpha-beta with one improvement after the other.
Quiescence is different: it looks further ahead than the depth, so it adds nodes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from engines.alphabeta import kernels
from engines.alphabeta.board_game import BoardGame
from engines.alphabeta.kernels import Moves
from engines.alphabeta.search import Search, Switches, settle
from engines.compiling.jit import njit
from engines.games import find_game

OPENING = "opening"
JUMPS = "jumps available"
MINIMAX = "minimax"
TABLE_BITS = 16
_STEADY = Switches.ORDERING | Switches.QUIESCENCE


@dataclass(frozen=True, slots=True)
class Subject:
    """The positions of a game, and the columns of its table after minimax."""

    game: str
    positions: dict[str, str]
    depths: tuple[int, ...]
    evaluation: int
    improvements: dict[str, Switches]
    minimax: bool = True
    """Whether the first column is minimax, which takes long in games of many moves."""

    @property
    def columns(self) -> tuple[str, ...]:
        return (MINIMAX, *self.improvements) if self.minimax else tuple(self.improvements)


CHECKERS = Subject(
    "checkers",
    {
        OPENING: "bbbbbbbbbbbb........wwwwwwwwwwww b",
        JUMPS: "bbbbb...bb.b..b.....wb..wwwwwwww w",
    },
    (4, 6, 8),
    0,
    {
        "alpha-beta": Switches.NONE,
        "+ ordering": Switches.ORDERING,
        "+ quiescence": _STEADY,
        "+ transpositions": _STEADY | Switches.TABLE,
        "+ deepening": Switches.ALL,
    },
)
CHESS = Subject(
    "chess",
    {
        "open game": "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 5 4",
        "middlegame": "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        "endgame": "8/5pk1/4p1p1/1p1pP2p/1P1P1P1P/2r3P1/5K2/R7 w - - 0 40",
    },
    (4, 6),
    1,
    {
        "alpha-beta": Switches.NONE,
        "+ captures": Switches.CAPTURES,
        "+ killers": Switches.CAPTURES | Switches.KILLER_MOVES,
        "+ history": Switches.ORDERING,
        "+ quiescence": _STEADY,
        "+ transpositions": _STEADY | Switches.TABLE,
        "+ deepening": _STEADY | Switches.TABLE | Switches.DEEPENING,
        "+ check extension": Switches.ALL & ~Switches.NULL_MOVE & ~Switches.REDUCTIONS,
        "+ null move": Switches.ALL & ~Switches.REDUCTIONS,
        "+ late reductions": Switches.ALL,
    },
    minimax=False,
)
SUBJECTS = {subject.game: subject for subject in (CHECKERS, CHESS)}


@dataclass(frozen=True, slots=True)
class Cell:
    """The work of one search."""

    nodes: int
    seconds: float
    value: int


@dataclass(frozen=True, slots=True)
class DepthRow:
    """All searches of one position to one depth, by column."""

    subject: Subject
    position: str
    depth: int
    leaves: int
    cells: dict[str, Cell]

    @property
    def least_leaves(self) -> float:
        """The leaves of alpha-beta with perfect ordering: about twice the square root of all."""
        return 2 * sqrt(self.leaves)


@njit
def minimax(state: Any, depth: int, evaluation: int, nodes: Moves, stack: Moves, start: int) -> int:
    """Value of `state` by trying every move; counts into `nodes[0]`."""
    nodes[0] += 1
    best = 0
    if kernels.over(state):
        best = settle(kernels.result(state))
    elif depth <= 0:
        best = kernels.evaluate(state, evaluation)
    else:
        end = kernels.moves(state, stack, start)
        for index in range(start, end):
            after = kernels.play(state, stack[index])
            value = -minimax(after, depth - 1, evaluation, nodes, stack, end)
            if index == start or value > best:
                best = value
    return best


def measure(depths: Sequence[int] | None = None, subject: Subject = CHECKERS) -> Iterator[DepthRow]:
    """The rows of the table, one position after the other."""
    game = find_game(subject.game)
    assert isinstance(game, BoardGame)
    stack = kernels.new_stack()
    for name, text in subject.positions.items():
        state = game.from_position(text)
        _search_all(subject, game, state, 2)  # compile first, so that compile time does not count
        for depth in depths or subject.depths:
            leaves = int(kernels.perft(game.board(state), depth, 1, stack, 0))
            cells = _search_all(subject, game, state, depth)
            yield DepthRow(subject, name, depth, leaves, cells)


def _search_all(subject: Subject, game: BoardGame[Any], state: Any, depth: int) -> dict[str, Cell]:
    board, cells = game.board(state), {}
    if subject.minimax:
        # Minimax counts its root; the searches count the moves at the root.
        nodes = np.full(1, -1, dtype=np.int64)
        started = time.perf_counter()
        value = minimax(board, depth, subject.evaluation, nodes, kernels.new_stack(), 0)
        cells[MINIMAX] = Cell(int(nodes[0]), time.perf_counter() - started, int(value))
    for column, switches in subject.improvements.items():
        search = Search(subject.evaluation, switches, TABLE_BITS)
        started = time.perf_counter()
        found = search.find(board, game.legal(state), depth)
        cells[column] = Cell(found.nodes, time.perf_counter() - started, found.value)
    return cells


def render(rows: Sequence[DepthRow]) -> str:
    """The table as text: nodes, milliseconds, and savings."""
    lines = []
    for position in dict.fromkeys(row.position for row in rows):
        chosen = [row for row in rows if row.position == position]
        subject = chosen[0].subject
        heads = "".join(f"{column:>18}" for column in subject.columns)
        lines += [f"{subject.game}, {position}", f"{'':14}{'depth':>6}{heads}"]
        for label, shown in (("nodes", _nodes), ("milliseconds", _time), ("saved", _saved)):
            for row in chosen:
                cells = "".join(f"{shown(row, column):>18}" for column in subject.columns)
                lines.append(f"{label:14}{row.depth:>6}{cells}")
        last = chosen[-1]
        best = last.cells[subject.columns[-1]]
        lines.append(
            f"at depth {last.depth}: {last.leaves:,} leaves; with perfect ordering about"
            f" {last.least_leaves:,.0f} of them; all improvements visit {best.nodes:,} nodes in"
            f" all, {best.nodes / last.least_leaves:.1f} times that"
        )
        lines.append("")
    return "\n".join(lines)


def _nodes(row: DepthRow, column: str) -> str:
    return f"{row.cells[column].nodes:,}"


def _time(row: DepthRow, column: str) -> str:
    return f"{1000 * row.cells[column].seconds:.2f}"


def _saved(row: DepthRow, column: str) -> str:
    """The share of the first column's nodes that a column saved."""
    first = row.cells[row.subject.columns[0]]
    return f"{100 * (1 - row.cells[column].nodes / first.nodes):.2f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", choices=SUBJECTS, help="default: all")
    chosen = parser.parse_args().game
    for subject in [SUBJECTS[chosen]] if chosen else SUBJECTS.values():
        print(render(list(measure(subject=subject))))


if __name__ == "__main__":
    main()
