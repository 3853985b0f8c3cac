"""Path and query parameters, JSON bodies and forms: declared once, read strictly, documented."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar
from urllib.parse import parse_qsl

import msgspec

from ladder import shapes, strict_json
from ladder.cursors import write_place
from ladder.errors import NotFound, Refusal
from ladder.people import names
from ladder.reports.rivalries import MOST_ROWS
from ladder.shapes import ANY_TEXT as ANY_TEXT
from ladder.values import OPEN_DIVISION

MAX_ID = 2**63 - 1
"""Ids have 63 bits in the database."""

MAX_ROWS = 1_000_000

MAX_JSON_BYTES = 64 * 1024

NAME_SCHEMA = {
    "minLength": 1,
    "maxLength": names.MAX_LENGTH,
    "pattern": r"^[\p{L}\p{N}]([\p{L}\p{N}_ .-]*[\p{L}\p{N}_.-])?$",
}
"""The rule of `names.check_name` as JSON Schema."""

T = TypeVar("T")


class BadValue(ValueError):
    """The message says which values are allowed; it follows the name of the parameter."""


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a route. A bad path value is 404, a bad query value 400."""

    name: str
    where: Literal["path", "query"]
    about: str
    schema: Mapping[str, Any]
    read: Callable[[str], Any]
    """Turns the text into the value; raises `BadValue`."""
    default: Any = None
    """The value when a query lacks the parameter."""
    example: Any = None
    """An example for the document, when none can be made from the schema."""


def is_local(path: str) -> bool:
    """Whether it is the path of a page of this site, with or without a query.

    A browser reads `//x` and `/\\x` as another site, and drops tabs and line breaks before that. So
    only the printable characters of a URL are allowed, and no backslash.
    """
    return re.fullmatch(r"/(?!/)[!#-;=?-\[\]_a-z~]{0,499}", path) is not None


def whole_number(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        # Strict ASCII: int() alone accepts "1_0", " 1" and digits of other scripts.
        if not re.fullmatch(r"(0|[1-9][0-9]{0,18})", text) or not low <= int(text) <= high:
            raise BadValue(f"must be a whole number from {low} to {high}")
        return int(text)

    return read


def matching(pattern: str, about: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise BadValue(f"must be {about}")
        return text

    return read


def id_param(noun: str) -> Param:
    schema = {"type": "integer", "minimum": 1, "maximum": MAX_ID}
    return Param("id", "path", f"Number of the {noun}.", schema, whole_number(1, MAX_ID))


def id_filter_param(name: str, about: str) -> Param:
    schema = {"type": "integer", "minimum": 1, "maximum": MAX_ID}
    return Param(name, "query", about, schema, whole_number(1, MAX_ID))


def game_param(where: Literal["path", "query"], games: Sequence[str]) -> Param:
    def read(text: str) -> str:
        if text not in games:
            raise BadValue(f"must be one of {', '.join(games)}")
        return text

    return Param("game", where, "Name of the game.", {"type": "string", "enum": list(games)}, read)


def limit_param(default: int) -> Param:
    schema = {"type": "integer", "minimum": 1, "maximum": 200, "default": default}
    return Param(
        "limit", "query", "The most rows to return.", schema, whole_number(1, 200), default=default
    )


def row_param() -> Param:
    schema = {"type": "integer", "minimum": 1, "maximum": MAX_ROWS, "default": 1}
    about = "First row of long tables, counted from 1."
    return Param("row", "query", about, schema, whole_number(1, MAX_ROWS), default=1)


def text_param(
    name: str, where: Literal["path", "query"], about: str, pattern: str, default: str | None = None
) -> Param:
    schema: dict[str, Any] = {"type": "string", "pattern": f"^{pattern}$"}
    if default is not None:
        schema["default"] = default
    return Param(name, where, about, schema, matching(pattern, _in_words(name, pattern)), default)


_WORDS = {
    "after": "the `next` of an earlier page",
    "division": "the name of a division, such as open",
    "game": "the name of a game, such as reversi",
    "kind": "a kind of bots, or empty",
    "on": "a day such as 2026-11-21, or empty",
    "sha256": "64 digits from 0 to 9 and a to f",
}


def _in_words(name: str, pattern: str) -> str:
    """The allowed values of a parameter, for people."""
    if length := re.fullmatch(r"\.\{0,(\d+)\}", pattern):
        return f"text of at most {length[1]} characters"
    return _WORDS.get(name, f"text of the form {pattern}")


AFTER_PLACE = replace(
    text_param("after", "query", "The `next` of an earlier page.", "[A-Za-z0-9_-]{32}"),
    example=write_place(25.5, 12, 100),
)
AFTER_NUMBER = text_param("after", "query", "The `next` of an earlier page.", "[0-9]{1,18}")
DIVISION = text_param(
    "division", "query", "Division: a class of code sizes.", "[a-z0-9-]{1,20}", OPEN_DIVISION
)
OTHER = replace(id_param("other bot"), name="other")
VERSION = replace(id_param("version"), name="version")
TOP = Param(
    "top",
    "query",
    "Number of bots, the best first.",
    {"type": "integer", "minimum": 2, "maximum": MOST_ROWS, "default": 20},
    whole_number(2, MOST_ROWS),
    default=20,
)
BOT = id_filter_param("bot", "Only matches of the bot with this number.")


def number_param(name: str, about: str, low: int, high: int, default: int) -> Param:
    schema = {"type": "integer", "minimum": low, "maximum": high, "default": default}
    return Param(name, "query", about, schema, whole_number(low, high), default=default)


def read_params(
    params: Sequence[Param], path: Mapping[str, str], query: Sequence[tuple[str, str]], strict: bool
) -> dict[str, Any]:
    """The values of all parameters by name. Raises `NotFound` or `Refusal`.

    `strict` refuses query parameters that the route does not have.
    """
    given: dict[str, str] = {}
    for name, text in query:
        if name in given:
            raise Refusal(f"the query has the parameter {name[:40]!r} twice; send it once")
        check_text(name, text)
        given[name] = text
    values: dict[str, Any] = {}
    for param in params:
        raw = path.get(param.name) if param.where == "path" else given.pop(param.name, None)
        if raw is None:
            values[param.name] = param.default
            continue
        try:
            values[param.name] = param.read(raw)
        except BadValue as error:
            if param.where == "path":
                raise NotFound(f"{param.name} {raw[:80]!r} does not exist; it {error}") from error
            raise Refusal(f"{param.name} {error}, not {raw[:80]!r}") from error
    if given and strict:
        known = ", ".join(param.name for param in params if param.where == "query") or "none"
        raise Refusal(f"unknown query parameter {min(given)[:40]!r}; known here: {known}")
    return values


def read_json(data: bytes, shape: type[T]) -> T:
    """A JSON body of that type; raises a `Refusal` that names the fault."""
    try:
        value = strict_json.read(data)
        try:
            return msgspec.json.decode(data, type=shape)
        except msgspec.ValidationError:
            # JSON Schema counts 7.0 as a whole number; the decoder does not.
            return shapes.read(_whole(value), shape)
    except strict_json.BadJson as error:
        raise Refusal(f"the body is not valid JSON: {error}") from error
    except shapes.WrongShape as error:
        raise Refusal(f"the body is wrong: {error}") from error


def _whole(value: Any) -> Any:
    """The same value with integers in place of whole floats."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= MAX_ID:
        return int(value)
    if isinstance(value, list):
        return [_whole(one) for one in value]
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in value.items()}
    return value


def read_form(data: bytes, fields: Sequence[str]) -> dict[str, str]:
    """A urlencoded form with at most these fields; missing fields are empty."""
    try:
        pairs = parse_qsl(
            data.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=20
        )
    except ValueError as error:
        raise Refusal(
            "the form is not valid; send it URL-encoded, with at most 20 fields"
        ) from error
    form = dict.fromkeys(fields, "")
    for name, value in pairs:
        if name not in form:
            raise Refusal(f"unknown form field {name[:40]!r}; send {', '.join(fields)}")
        check_text(name, value)
        form[name] = value
    return form


def check_text(name: str, value: str) -> None:
    if not re.match(ANY_TEXT, value):
        raise Refusal(f"{name[:40]!r} holds a NUL character; remove it")
