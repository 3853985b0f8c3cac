"""Pictures of chess positions: squares, marks and pieces of our own shapes."""

from __future__ import annotations

from engines.compiling.bits import lowest
from engines.display.drawing import (
    CELL,
    MARGIN,
    cell,
    disc,
    group,
    labels,
    panel,
    picture,
)
from engines.games.chess.board import ChessState, kings
from engines.games.chess.fen import FILES, cells

LIGHT, DARK = "#ecdcb9", "#b18b63"
MARKED = "#c9b24a"
CHECK = "#d9482b"
WHITE_FILL, WHITE_LINE = "#f9f6ee", "#26221d"
BLACK_FILL, BLACK_LINE = "#2b2d33", "#e2d8c3"

SHAPES = {
    "p": "m5 17h10q0-3-3-4l-1-3a3.1 3.1 0 1 0-2 0l-1 3q-3 1-3 4z",
    "n": "m5.5 17h9.5q.8-5-.6-8.4-1.2-4.2-5-5l-.4-1.6-1.6 2.2q-1.4.8-1.8 2.6l-2 3q-.3 1.6 1 2"
    "l1.2.2q1.6-1.6 3.6-2-.4 2.4-2.6 4-1.2 1-1.3 3zm2.2-9.6.6-.5",
    "b": "m5 17h10v-1.6l-2.6-1q2-2 2-4.4-.6-3-3.6-5.2a1.4 1.4 0 1 0-1.6 0q-3 2.2-3.6 5.2 0 2.4 2"
    " 4.4l-2.6 1zm5-8.4v3m-1.5-1.5h3",
    "r": "m4 17h12v-2l-2-1-.7-5 1.7-1v-4.5h-2.4v2h-1.6v-2h-2v2h-1.6v-2h-2.4v4.5l1.7 1-.7 5-2 1z",
    "q": "m5 17h10v-1.5l-.6-1 2.4-8.5-3.2 3.6-.8-5.6-2.8 5-2.8-5-.8 5.6-3.2-3.6 2.4 8.5-.6 1z"
    "m.6-2.5h8.8",
    "k": "m5 17h10v-1.5l-.6-1q3.4-3 2.2-5.6-1.6-2.6-5.6-.6v-2h1.8v-1.8h-1.8v-1.8h-2v1.8h-1.8v1.8"
    "h1.8v2q-4-2-5.6.6-1.2 2.6 2.2 5.6l-.6 1zm.6-2.5h8.8",
}
"""Outlines from the upper left corner of a cell, with relative steps."""


def draw(title: str, state: ChessState, last: tuple[int, int] | None = None) -> str:
    """The board seen by White; `last` has the squares of the last move, also seen by White."""
    letters = cells(state)
    dark = (cell(s % 8, 7 - s // 8) for s in range(64) if (s % 8 + s // 8) % 2 == 0)
    marked = [cell(s % 8, 7 - s // 8) for s in last or ()]
    checked = []
    if state.checkers:
        king = lowest(kings(state) & state.own) ^ (56 if state.seat else 0)
        checked = [disc(king % 8, 7 - king // 8, 9.5)]
    return picture(
        title,
        8,
        8,
        [
            panel(8, 8, LIGHT),
            group(dark, fill=DARK),
            group(marked, fill=MARKED, opacity="0.75"),
            group(checked, fill=CHECK, opacity="0.7"),
            _side(letters, str.isupper, WHITE_FILL, WHITE_LINE),
            _side(letters, str.islower, BLACK_FILL, BLACK_LINE),
            labels(FILES, "87654321"),
        ],
    )


def _side(letters: list[str], own: object, fill: str, line: str) -> str:
    outlines = [
        f"M{MARGIN + square % 8 * CELL} {MARGIN + (7 - square // 8) * CELL}{SHAPES[one.lower()]}"
        for square, one in enumerate(letters)
        if one != "." and own(one)  # type: ignore[operator]
    ]
    drawn = f'<path d="{"".join(outlines)}"/>' if outlines else ""
    return group([drawn], fill=fill, stroke=line, stroke_width="0.8", stroke_linejoin="round")
