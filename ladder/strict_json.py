"""Strict reading of JSON that strangers send: it refuses everything that readers disagree about.

Duplicate keys, NaN, enormous numbers, deep nesting, half surrogate pairs and NUL characters are
valid or harmless to some readers and not to others. Nothing here needs them.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

MOST_DEPTH = 128
"""Levels of nesting. Honest documents have fewer than ten."""
LONGEST_NUMBER = 256
"""Characters of one number: any such integer still fits into a float."""


class BadJson(ValueError):
    """The message is the end of a sentence about the document: "it has ..."."""


def read(data: bytes | str) -> Any:
    """The value of a document; raises `BadJson`. Any 64 KiB take milliseconds."""
    try:
        text = data if isinstance(data, str) else data.decode()
        value = _DECODER.decode(text)
    except UnicodeDecodeError as error:
        raise BadJson(f"it is not UTF-8 (byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise BadJson(f"it is not JSON (line {error.lineno}, column {error.colno})") from error
    except RecursionError as error:
        raise BadJson(f"it is nested more than {MOST_DEPTH} deep") from error
    if text.count("[") + text.count("{") > MOST_DEPTH:
        _check_depth(value)
    if "\\u" in text:  # only an escape can contain them
        _check_text(json.dumps(value, ensure_ascii=False))
    return value


def _check_depth(value: Any) -> None:
    """Look at every array and object, level by level."""
    level: list[Any] = [[value]]
    for _ in range(MOST_DEPTH + 1):
        parts = (one.values() if type(one) is dict else one for one in level)
        level = [one for part in parts for one in part if type(one) in (list, dict)]
        if not level:
            return
    raise BadJson(f"it is nested more than {MOST_DEPTH} deep")


def _check_text(text: str) -> None:
    """Check all strings of a document; `text` is the document written as JSON again."""
    if "\\u0000" in text.replace("\\\\", ""):  # not after an escaped backslash
        raise BadJson("it has a NUL character in a string")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadJson("it has half of a surrogate pair in a string") from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise BadJson(f"it has the key {key[:40]!a} twice in one object")
            seen.add(key)
    return made


def _integer(text: str) -> int:
    _check_number(text)
    return int(text)


def _float(text: str) -> float:
    _check_number(text)
    value = float(text)
    if math.isinf(value):
        raise BadJson(f"it has the number {text[:40]}, which is too large for a 64-bit float")
    return value


def _check_number(text: str) -> None:
    if len(text) > LONGEST_NUMBER:
        raise BadJson(f"it has a number of more than {LONGEST_NUMBER} characters")


def _constant(name: str) -> NoReturn:
    raise BadJson(f"it has {name}, which JSON does not have")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object,
    parse_int=_integer,
    parse_float=_float,
    parse_constant=_constant,
)
