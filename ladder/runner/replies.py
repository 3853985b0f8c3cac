"""Reads the reply of a bot: one line of JSON with the key `move`."""

from __future__ import annotations

from typing import Any

import msgspec

from ladder import strict_json
from ladder.strict_json import BadJson

ORDINARY_BYTES = 256
"""A reply up to this length cannot exceed the limits of `strict_json` on numbers and nesting."""


class BadReply(ValueError):
    """The message is the end of a sentence about the reply."""


class NotText(BadReply):
    """The move is not a string."""

    def __init__(self, move: Any) -> None:
        self.kind = _KINDS.get(type(move), "null")
        super().__init__(f"its move is {self.kind}, not a string")


class _Reply(msgspec.Struct):
    move: Any


class _TextReply(msgspec.Struct):
    move: str


_decode = msgspec.json.Decoder(_Reply).decode
_decode_text = msgspec.json.Decoder(_TextReply).decode


def read_reply(line: bytes, text: bool) -> Any:
    """The move of a reply, which is a string if `text`, else any JSON value; raises `BadReply`.

    Ordinary replies take the fast way: with one colon there is at most one key, so no duplicates,
    and without a backslash there are no escapes. All others are read strictly first.
    """
    try:
        if len(line) > ORDINARY_BYTES or line.count(b":") != 1 or b"\\" in line:
            strict_json.read(line)
        return (_decode_text if text else _decode)(line).move
    except BadJson as error:
        raise BadReply(str(error)) from error
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise _fault_of(line) from None


def _fault_of(line: bytes) -> BadReply:
    """The reason why a line is no reply, in our own words."""
    try:
        value = strict_json.read(line)
    except BadJson as error:
        return BadReply(str(error))
    if not isinstance(value, dict):
        return BadReply('it is not an object such as {"move": ...}')
    if "move" not in value:
        return BadReply('it has no key "move"')
    return NotText(value["move"])


_KINDS = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "an array",
    dict: "an object",
}
