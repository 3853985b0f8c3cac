"""Position IDs of GNU Backgammon: 14 letters for the men of both sides.

For each place of the side that does not roll, then of the side that does, from point 1 to the bar,
the bits have a 1 for each man and then a 0. The bits fill ten bytes, lowest first, in Base64.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence

from engines.competition import BadPosition
from engines.display.notation import quoted
from engines.games.backgammon.board import BAR, MEN

LENGTH = 14
_BYTES = 10


def write(own: Sequence[int], their: Sequence[int]) -> str:
    """The ID of the position in which `own` is to move; both are numbers of men by place."""
    bits = "".join("1" * men + "0" for side in (their, own) for men in side[1:])
    number = int(bits[::-1], 2)
    return base64.b64encode(number.to_bytes(_BYTES, "little")).decode()[:LENGTH]


def read(text: str) -> tuple[list[int], list[int]]:
    """The men of the side to move and of the other; raises `BadPosition`."""
    try:
        if len(text) != LENGTH or not text.isascii():
            raise BadPosition(f"a position ID has {LENGTH} letters; {quoted(text)} has not")
        number = int.from_bytes(base64.b64decode(text + "==", validate=True), "little")
    except binascii.Error:
        raise BadPosition(f"{quoted(text)} is no position ID of GNU Backgammon") from None
    sides: list[list[int]] = []
    for _ in range(2):
        side = [0]
        for _ in range(BAR):
            men = (~number & number + 1).bit_length() - 1
            number >>= men + 1
            side.append(men)
        if sum(side) > MEN:
            raise BadPosition(f"one side has {sum(side)} men; at most {MEN} are possible")
        sides.append(side)
    if number:
        raise BadPosition(f"{quoted(text)} has bits beyond the men of both sides")
    their, own = sides
    if both := [p for p in range(1, 25) if own[p] and their[25 - p]]:
        raise BadPosition(f"both sides have men on point {both[0]} of the side to move")
    return own, their
