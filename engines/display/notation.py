"""Reading of untrusted text: error messages quote it in a short and escaped form."""

from __future__ import annotations

from typing import Any

from engines.competition import BadPosition

_SHOWN = 24
"""The longest quotation in an error message."""


def quoted(text: Any) -> str:
    """The text for an error message: escaped, and cut if it is long."""
    if not isinstance(text, str):
        return f"a value of type {type(text).__name__}"
    return repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}… ({len(text)} characters)"


def split_position(text: Any, cells: int, alphabet: str, sides: str) -> tuple[str, int]:
    """Split `CELLS SIDE` into the cells and the index of the side to move in `sides`.

    Raises `BadPosition` for a text of another length or with invalid characters.
    """
    length = cells + 2
    if not isinstance(text, str):
        raise BadPosition(f"a position must be a text, not {quoted(text)}")
    if len(text) != length:
        raise BadPosition(
            f"a position has {length} characters ({cells} cells, a space, the side to move),"
            f" not {len(text)}"
        )
    board, space, side = text[:cells], text[cells], text[-1]
    for index, char in enumerate(board):
        if char not in alphabet:
            raise BadPosition(f"cell {index + 1} is {char!r}; a cell is one of {alphabet!r}")
    if space != " ":
        raise BadPosition(f"a space separates the cells from the side to move, not {space!r}")
    if side not in sides:
        raise BadPosition(f"the side to move is one of {sides!r}, not {side!r}")
    return board, sides.index(side)
