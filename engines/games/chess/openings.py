"""The openings of chess on the ladder: short lines after which neither side is ahead.

`prove/chess_openings.py` makes the file by random moves and our own search.
"""

from __future__ import annotations

from pathlib import Path

from engines.games.chess.fen import SQUARES

FILE = Path(__file__).with_name("openings.txt")


def read_openings() -> tuple[tuple[int, ...], ...]:
    """All lines, as moves. They have no promotions, and tests check that they are legal."""
    return tuple(
        tuple(_move(text, ply % 2) for ply, text in enumerate(line.split(" ")))
        for line in FILE.read_text().splitlines()
    )


def _move(text: str, seat: int) -> int:
    turned = 56 if seat else 0
    return (SQUARES.index(text[:2]) ^ turned) | (SQUARES.index(text[2:]) ^ turned) << 6
