"""The effect of each improvement of the search: a table of nodes and times by depth.

Rows are depths; columns are plain minimax, then alpha-beta with one improvement after the other.
Quiescence is different: it looks further ahead than the depth, so it adds nodes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from engines.alphabeta import kernels
from engines.alphabeta.kernels import Moves
from engines.alphabeta.search import Search, Switches, settle
from engines.compiling.jit import njit
from engines.game import Game
from engines.games import find_game

GAME = "checkers"
OPENING = "opening"
JUMPS = "jumps available"
POSITIONS = {
    OPENING: "bbbbbbbbbbbb........wwwwwwwwwwww b",
    JUMPS: "bbbbb...bb.b..b.....wb..wwwwwwww w",
}
"""The two positions of the table: the start, and one with a choice of jumps."""
DEPTHS = (4, 6, 8)
EVALUATION = 0

MINIMAX = "minimax"
IMPROVEMENTS = {
    "alpha-beta": Switches.NONE,
    "+ ordering": Switches.ORDERING,
    "+ quiescence": Switches.ORDERING | Switches.QUIESCENCE,
    "+ transpositions": Switches.ORDERING | Switches.QUIESCENCE | Switches.TABLE,
    "+ deepening": Switches.ALL,
}
COLUMNS = (MINIMAX, *IMPROVEMENTS)
TABLE_BITS = 16


@dataclass(frozen=True, slots=True)
class Cell:
    """The work of one search."""

    nodes: int
    seconds: float
    value: int


@dataclass(frozen=True, slots=True)
class DepthRow:
    """All searches of one position to one depth, by column."""

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


def measure(depths: Sequence[int] = DEPTHS) -> Iterator[DepthRow]:
    """The rows of the table, one position after the other."""
    game = find_game(GAME)
    assert isinstance(game, Game)
    stack = kernels.new_stack()
    for name, text in POSITIONS.items():
        state = game.from_position(text)
        _search_all(game, state, 2)  # compile first, so that compile time does not count
        for depth in depths:
            leaves = int(kernels.perft(state, depth, 1, stack, 0))
            yield DepthRow(name, depth, leaves, _search_all(game, state, depth))


def _search_all(game: Game[Any, Any], state: Any, depth: int) -> dict[str, Cell]:
    # Minimax counts its root; the searches count the moves at the root.
    nodes = np.full(1, -1, dtype=np.int64)
    started = time.perf_counter()
    value = minimax(state, depth, EVALUATION, nodes, kernels.new_stack(), 0)
    cells = {MINIMAX: Cell(int(nodes[0]), time.perf_counter() - started, int(value))}
    for column, switches in IMPROVEMENTS.items():
        search = Search(EVALUATION, switches, TABLE_BITS)
        started = time.perf_counter()
        found = search.find(state, game.legal(state), depth)
        cells[column] = Cell(found.nodes, time.perf_counter() - started, found.value)
    return cells


def render(rows: Sequence[DepthRow]) -> str:
    """The table as text: nodes, milliseconds, and savings."""
    lines = []
    for position in dict.fromkeys(row.position for row in rows):
        chosen = [row for row in rows if row.position == position]
        heads = "".join(f"{column:>18}" for column in COLUMNS)
        lines += [f"{GAME}, {position}", f"{'':14}{'depth':>6}{heads}"]
        for label, shown in (("nodes", _nodes), ("milliseconds", _time), ("saved", _saved)):
            for row in chosen:
                cells = "".join(f"{shown(row, column):>18}" for column in COLUMNS)
                lines.append(f"{label:14}{row.depth:>6}{cells}")
        last = chosen[-1]
        best = last.cells[COLUMNS[-1]]
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
    """The share of minimax's nodes that a column saved."""
    return f"{100 * (1 - row.cells[column].nodes / row.cells[MINIMAX].nodes):.2f} %"
