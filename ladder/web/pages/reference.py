"""The readable page of the API, made from the OpenAPI document alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from ladder.web.http.site import Request, Response
from ladder.web.pages.rendering import show

PARTS = {
    "account": "Accounts",
    "accounts": "Accounts",
    "games": "Games",
    "bots": "Bots",
    "versions": "Bots",
    "matches": "Matches",
    "tournaments": "Tournaments",
    "leagues": "Leagues",
    "evolution": "Evolution",
}
"""The part of the page by the first word of a path, in the order of the page."""

OTHER = "Server"
"""The part of all other paths, the last one."""

_PREFIX = "/api/v1/"
_SCHEMAS = "#/components/schemas/"


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the words for a type; `shape` is the name of the shape that it links to."""

    text: str
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    type: tuple[Piece, ...]
    about: str
    required: bool
    place: str = ""
    """Where a parameter stands: in the path or in the query."""


@dataclass(frozen=True, slots=True)
class DescribedOperation:
    method: str
    path: str
    name: str
    summary: str
    who: str
    params: tuple[Field, ...]
    body_media: str
    body: tuple[Field, ...]
    body_example: str
    status: str
    answer: tuple[Piece, ...]
    answer_example: str
    refusals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    title: str
    operations: tuple[DescribedOperation, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    name: str
    about: str
    fields: tuple[Field, ...]
    type: tuple[Piece, ...]
    """Its words when it is no object with fields."""


@dataclass(frozen=True, slots=True)
class Reference:
    parts: tuple[Part, ...]
    shapes: tuple[Shape, ...]


def api_page(request: Request) -> Response:
    return show(request, "api.html", api=read(request.site.openapi))


@lru_cache(maxsize=2)
def read(document: bytes) -> Reference:
    """The operations of an OpenAPI document by part, and the shapes of its JSON objects."""
    spec = msgspec.json.decode(document)
    parts: dict[str, list[DescribedOperation]] = {title: [] for title in [*PARTS.values(), OTHER]}
    schemas = spec["components"]["schemas"]
    for path, methods in spec["paths"].items():
        word = path.removeprefix(_PREFIX).partition("/")[0] if path.startswith(_PREFIX) else ""
        for method, operation in methods.items():
            found = _operation(method.upper(), path, operation, schemas)
            parts[PARTS.get(word, OTHER)].append(found)
    return Reference(
        tuple(Part(title, tuple(found)) for title, found in parts.items() if found),
        tuple(
            Shape(
                name, schema.get("description", ""), tuple(_fields(schema)), tuple(_words(schema))
            )
            for name, schema in sorted(schemas.items())
        ),
    )


def _operation(
    method: str, path: str, operation: Mapping[str, Any], schemas: Mapping[str, Any]
) -> DescribedOperation:
    responses = operation["responses"]
    status = next(code for code in responses if code < "300")
    answer_media, answer = next(iter(responses[status]["content"].items()))
    bodies = operation.get("requestBody", {}).get("content", {})
    body_media = next(iter(bodies), "")
    body: dict[str, Any] = bodies.get(body_media, {})
    schema: dict[str, Any] = body.get("schema", {})
    schema = schemas[_name(schema)] if "$ref" in schema else schema
    return DescribedOperation(
        method=method,
        path=path,
        name=operation["operationId"],
        summary=operation["summary"],
        who=operation.get("description") or _who(operation["security"]),
        params=tuple(
            Field(
                one["name"],
                tuple(_words(one["schema"])),
                one["description"],
                one["required"],
                one["in"],
            )
            for one in operation["parameters"]
        ),
        body_media=body_media,
        body=tuple(_fields(schema)),
        body_example=_pretty(body.get("example")),
        status=status,
        answer=tuple(_words(answer["schema"]))
        if "$ref" in answer.get("schema", {})
        else (Piece(answer_media),),
        answer_example=_pretty(answer.get("example")),
        refusals=tuple(code for code in responses if code >= "300"),
    )


def _who(security: list[dict[str, Any]]) -> str:
    if not security:
        return "For everybody."
    if {} in security:
        return "For everybody; a token shows more of what is yours."
    return "Needs a token."


def _fields(schema: Mapping[str, Any]) -> Iterable[Field]:
    required = schema.get("required", ())
    for name, one in schema.get("properties", {}).items():
        yield Field(name, tuple(_words(one)), one.get("description", ""), name in required)


def _name(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).removeprefix(_SCHEMAS)


def _words(schema: Mapping[str, Any]) -> Iterable[Piece]:
    """The type of a value in words."""
    kind = schema.get("type")
    if "$ref" in schema:
        yield Piece(_name(schema), _name(schema))
    elif "anyOf" in schema or "oneOf" in schema:
        for number, one in enumerate(schema.get("anyOf") or schema["oneOf"]):
            yield from ([Piece(" or ")] if number else [])
            yield from _words(one)
    elif "enum" in schema:
        yield Piece("one of " + ", ".join(str(one) for one in schema["enum"]))
    elif "const" in schema:
        yield Piece(json.dumps(schema["const"]))
    elif kind == "array":
        yield Piece("list of: ")
        yield from _words(schema.get("items") or {"anyOf": schema.get("prefixItems", [{}])})
    elif kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        yield Piece("object whose values are: ")
        yield from _words(schema["additionalProperties"])
    else:
        yield Piece(_plain(schema))


def _plain(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "anything")
    if kind in ("integer", "number"):
        return {"integer": "whole number", "number": "number"}[kind] + _bounds(schema)
    if kind == "string":
        what = {"date-time": "time", "binary": "file"}.get(schema.get("format", ""), "text")
        most = schema.get("maxLength")
        return f"{what} of at most {most:,} characters" if most else what
    return {"boolean": "true or false"}.get(kind, str(kind))


def _bounds(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if high is not None and high >= 2**53 - 1:
        high = None  # the largest number that the database or JavaScript holds
    if low is not None and low <= -(2**53):
        low = None
    if low is None:
        return "" if high is None else f" up to {high:,}"
    return f" from {low:,}" if high is None else f" from {low:,} to {high:,}"


def _pretty(example: Any) -> str:
    if example is None or isinstance(example, str):
        return example or ""
    return json.dumps(example, indent=2, ensure_ascii=False)
