"""The end of a page of a list: an opaque text for readers, a key for queries."""

from __future__ import annotations

import base64
import math
import struct

from ladder.errors import Refusal

_KEY = struct.Struct(">dqq")


def read_number(cursor: str | None) -> int | None:
    """The key of a list that is sorted by a number."""
    if cursor is None:
        return None
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) <= 18):
        raise Refusal("'after' must be the 'next' of an earlier page")
    return int(cursor)


def write_place(score: float, version_id: int, rank: int) -> str:
    """The place of a row on a board."""
    return base64.urlsafe_b64encode(_KEY.pack(score, version_id, rank)).decode().rstrip("=")


def read_place(cursor: str | None) -> tuple[float, int, int] | None:
    if cursor is None:
        return None
    try:
        score, version_id, rank = _KEY.unpack(
            base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True)
        )
    except (ValueError, struct.error):
        raise Refusal("'after' must be the 'next' of an earlier page") from None
    # Every text of the documented form is a place, also an invented one.
    return -math.inf if math.isnan(score) else score, version_id, rank % 2**53
