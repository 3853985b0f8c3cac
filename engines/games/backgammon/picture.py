"""The board as people know it, with White's home board at the bottom right.

13 14 15 16 17 18 | 19 20 21 22 23 24        rows 0 to 4: points 13 to 24 of White
12 11 10  9  8  7 |  6  5  4  3  2  1        rows 6 to 10: points 12 to 1
column 0       5  6  7             12  13    column 6 is the bar, column 13 the men borne off
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engines.display.drawing import (
    CELL,
    LABEL,
    MARGIN,
    centre,
    disc,
    group,
    labels,
    panel,
    picture,
    trail,
)
from engines.games.backgammon.board import BAR, MEN, BackgammonState, unpack
from engines.games.backgammon.rules import ROLLED, steps

COLUMNS, ROWS = 14, 11
_MIDDLE, _BAR, _OFF = 5, 6, 13
_STACK = 5
"""Men drawn on one point; a number tells how many more there are."""

_COLOURS = ("#f3f2ec", "#16181b")
_GROUND, _FRAME, _LIGHT, _DARK = "#356b52", "#26483a", "#cdb98f", "#96603c"
_LINE = "#5c6068"
_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""The places of the pips of each face, from the middle of a die."""

_FONT = {"font_family": "sans-serif", "text_anchor": "middle"}


def draw(board: BackgammonState, last: int | None, title: str) -> str:
    """The picture of a position. `last` is the turn or the roll before it."""
    men = [[0] * 26, [0] * 26]
    men[board.seat] = unpack(board.own_low, board.own_high)
    men[1 - board.seat] = unpack(board.their_low, board.their_high)
    turn = last is not None and last >> ROLLED > 0
    roller = 1 - board.seat if turn else board.seat
    dice = last >> ROLLED if last is not None and turn else board.dice
    parts = [
        panel(COLUMNS, ROWS, _GROUND),
        group([_column(_BAR), _column(_OFF)], fill=_FRAME),
        group(_triangles(0), fill=_LIGHT),
        group(_triangles(1), fill=_DARK),
        *(_side(seat, men[seat]) for seat in (0, 1)),
        *(
            _die(roller, number, face)
            for number, face in enumerate((dice >> 3, dice & 7))
            if dice > 7
        ),
        *(_arrows(1 - board.seat, last, men[1 - board.seat]) if last is not None and turn else ()),
        labels(_numbers(range(13, 25))),
        _bottom_labels(),
    ]
    return picture(title, COLUMNS, ROWS, parts)


def _numbers(points: Sequence[int]) -> list[str]:
    named = [str(point) for point in points]
    return [*named[:_BAR], "", *named[_BAR:]]


def _bottom_labels() -> str:
    y = MARGIN + ROWS * CELL + 10
    texts = [
        f'<text x="{centre(column, 0)[0]}" y="{y}">{name}</text>'
        for column, name in enumerate(_numbers(range(12, 0, -1)))
    ]
    return group(texts, fill=LABEL, font_size="9", **_FONT)


def _column(column: int) -> str:
    x = MARGIN + column * CELL
    return f'<rect x="{x}" y="{MARGIN}" width="{CELL}" height="{ROWS * CELL}"/>'


def _triangles(parity: int) -> Iterator[str]:
    for column in (c for c in range(_OFF) if c != _BAR):
        x = MARGIN + column * CELL
        for top in (True, False):
            if (column + (column > _BAR) + top) % 2 == parity:
                y, height = (MARGIN, 95) if top else (MARGIN + ROWS * CELL, -95)
                yield f'<path d="M{x} {y}h{CELL}l{-CELL // 2} {height}z"/>'


def _place(seat: int, place: int, height: int) -> tuple[int, int]:
    """Column and row of the man number `height`, from 0, on a place of a seat."""
    height = min(height, _STACK - 1)
    if place == BAR:
        # Men enter on the far side of the board.
        row = _MIDDLE - 1 - height if seat == 0 else _MIDDLE + 1 + height
        return _BAR, row
    if place == 0:
        return _OFF, ROWS - 1 - height if seat == 0 else height
    point = place if seat == 0 else 25 - place
    if point <= 12:
        return 12 - point + (point <= 6), ROWS - 1 - height
    return point - 13 + (point >= 19), height


def _side(seat: int, men: Sequence[int]) -> str:
    discs, texts = [], []
    for place in range(1, 26):
        discs += [disc(*_place(seat, place, n), 9) for n in range(min(men[place], _STACK))]
        if men[place] > _STACK:
            x, y = centre(*_place(seat, place, _STACK))
            texts.append(f'<text x="{x}" y="{y + 4}">{men[place]}</text>')
    off = MEN - sum(men)
    x = MARGIN + _OFF * CELL + 2
    for number in range(off):
        y = MARGIN + (ROWS * CELL - 6 * number - 7 if seat == 0 else 6 * number + 2)
        discs.append(f'<rect x="{x}" y="{y}" width="{CELL - 4}" height="5" rx="1"/>')
    return group(discs, fill=_COLOURS[seat], stroke=_LINE) + group(
        texts, fill=_COLOURS[1 - seat], font_size="11", font_weight="bold", **_FONT
    )


def _die(seat: int, number: int, face: int) -> str:
    """A die in the middle row: White's are on the right, Black's on the left."""
    x, y = centre((9 if seat == 0 else 2) + number, _MIDDLE)
    pips = "".join(f'<circle cx="{x + 5 * a}" cy="{y + 5 * b}" r="1.7"/>' for a, b in _PIPS[face])
    square = (
        f'<rect x="{x - 8.5:g}" y="{y - 8.5:g}" width="17" height="17" rx="3"'
        f' fill="{_COLOURS[seat]}" stroke="{_LINE}"/>'
    )
    return square + group([pips], fill=_COLOURS[1 - seat])


def _arrows(seat: int, move: int, men: Sequence[int]) -> Iterator[str]:
    """An arrow for each step of the last turn."""
    for place, die in steps(move):
        end = max(0, place - die)
        # The start is where the man stood, above those that stayed.
        yield trail(
            (_place(seat, place, men[place]), _place(seat, end, max(men[end] - 1, 0) if end else 0))
        )
