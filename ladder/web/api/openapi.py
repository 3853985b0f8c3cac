"""The OpenAPI 3.2 document, made from the route table and its classes."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from ladder import views
from ladder.events import news
from ladder.web.api import contests, examples
from ladder.web.http.auth import Access
from ladder.web.http.bodies import UploadForm
from ladder.web.http.endpoint import Route
from ladder.web.http.inputs import NAME_SCHEMA
from ladder.web.http.problems import PROBLEM, Problem, from_status
from ladder.web.http.site import CSV, JSON, TEXT

_SECURITY: dict[Access, list[dict[str, list[str]]]] = {
    Access.ANYONE: [],
    Access.READER: [{}, {"bearer": []}],
    Access.MEMBER: [{"bearer": []}],
    Access.ADMIN: [{"bearer": []}],
}


JSON_EXAMPLE: dict[str, Any] = {
    "format": "evoladder-replay-1",
    "game": "reversi",
    "seed": 4711,
    "moves": [{"seat": 0, "move": "d3", "cpu_ms": 1.5}],
}
TEXT_EXAMPLES = {
    CSV: "match,finished_at,seat,bot,score\r\n1,2026-11-01T03:00:00Z,0,minimax,1.0\r\n",
    TEXT: "(program tanks (tree ahead 100.0) (tree turn Zero) (tree gun (Fire 3.0)))\n",
}


def document(routes: Sequence[Route], games: Sequence[str], version: str) -> dict[str, Any]:
    shapes = [route.answer for route in routes if not isinstance(route.answer, str)]
    shapes += [route.body for route in routes if route.body not in (None, UploadForm)]
    shapes += [events for route in routes for events in route.streams]
    unique = list(dict.fromkeys([*shapes, Problem]))
    schemas, components = msgspec.json.schema_components(
        unique, ref_template="#/components/schemas/{name}"
    )
    refs = dict(zip(unique, schemas, strict=True))
    bodies = {shape.__name__: shape for shape in unique if isinstance(shape, type)}
    for name, schema in components.items():
        known = getattr(views, name, None) or getattr(news, name, None) or bodies.get(name)
        _describe(schema, known or getattr(contests, name, None))
    for events in {events for route in routes for events in route.streams}:
        components[events.__name__]["required"].append("kind")  # it distinguishes the classes
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, refs, games)
    return {
        "openapi": "3.2.0",
        "info": {
            "title": "Evoladder",
            "version": version,
            "description": "A ladder for program-versus-program competition.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def problem_statuses(route: Route) -> list[int]:
    """Every error status of the route."""
    # 400: every route refuses unknown query parameters. 429: too many requests. 503: our fault.
    statuses = {400, 429, 503, *route.problems}
    if any(param.where == "path" for param in route.params):
        statuses.add(404)
    if route.body is not None:
        statuses |= {408, 413, 415}
    if route.method != "GET":
        statuses.add(507)
    if route.access is not Access.ANYONE:
        statuses |= {401, 403}  # 403: the account is banned or is not an admin
    return sorted(status for status in statuses if status >= 400)


def _operation(route: Route, refs: dict[Any, dict[str, Any]], games: Sequence[str]) -> Any:
    media = route.answer if isinstance(route.answer, str) else JSON
    responses: dict[str, Any] = {
        str(route.status): {
            "description": "Success.",
            "content": {media.partition(";")[0]: _content(route, refs)},
        }
    }
    if 304 in route.problems:
        responses["304"] = {"description": "The `ETag` of `If-None-Match` is still valid."}
    for status in problem_statuses(route):
        responses[str(status)] = {
            "description": "Refused; `detail` says why.",
            "content": {
                PROBLEM: {
                    "schema": refs[Problem],
                    "example": msgspec.to_builtins(from_status(status)),
                }
            },
        }
    operation: dict[str, Any] = {
        "operationId": route.handler.__name__,
        "summary": route.summary,
        **({"description": "Only for admins."} if route.access is Access.ADMIN else {}),
        "security": _SECURITY[route.access],
        "parameters": [
            {
                "name": param.name,
                "in": param.where,
                "required": param.where == "path",
                "description": param.about,
                "schema": dict(param.schema),
                "example": param.example or examples.for_parameter(param.name, param.schema),
            }
            for param in route.params
        ],
        "responses": responses,
    }
    if route.body is not None:
        upload = route.body is UploadForm
        media = "multipart/form-data" if upload else JSON
        body = _upload_schema(games) if upload else refs[route.body]
        shown = examples.REQUESTS[route.body.__name__]
        operation["requestBody"] = {
            "required": True,
            "content": {media: {"schema": body, "example": shown}},
        }
    return operation


def _content(route: Route, refs: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    """The schema of a response, with an example."""
    if route.streams:
        return {
            "itemSchema": _event_schema([refs[events] for events in route.streams]),
            "example": examples.event_stream(route.streams[0]),
        }
    if not isinstance(route.answer, str):
        return {"schema": refs[route.answer], "example": examples.example(route.answer)}
    if route.answer == JSON:
        return {"schema": {"type": "object"}, "example": JSON_EXAMPLE}
    return {
        "schema": {"type": "string"},
        **({"example": TEXT_EXAMPLES[route.answer]} if route.answer in TEXT_EXAMPLES else {}),
    }


def _event_schema(events: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One event of a stream, as OpenAPI 3.2 reads `text/event-stream`."""
    return {
        "type": "object",
        "properties": {
            "id": {
                "type": "string",
                "pattern": "^[0-9]+$",
                "description": "Number of the event, for `Last-Event-ID` or `since`.",
            },
            "event": {"type": "string", "const": "message"},
            "data": {
                "type": "string",
                "contentMediaType": JSON,
                "contentSchema": {"oneOf": list(events)},
            },
        },
        "required": ["id", "data"],
    }


def _upload_schema(games: Iterable[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "game": {"type": "string", "enum": list(games)},
            "name": {"type": "string", **NAME_SCHEMA},
            "file": {
                "type": "string",
                "format": "binary",
                "description": "A `.py` file, a `.zip` with `bot.py` at its top, or a program.",
            },
            "lineage": {
                "type": "string",
                "description": "The origin of an evolved bot: a `Lineage` as JSON.",
            },
        },
        "required": ["game", "name", "file"],
        "additionalProperties": False,
    }


def _describe(schema: dict[str, Any], shape: type | None) -> None:
    """Copy the docstrings under a view's fields into its schema."""
    if shape is None:
        return
    tree = ast.parse(textwrap.dedent(inspect.getsource(shape))).body[0]
    assert isinstance(tree, ast.ClassDef)
    for field, note in zip(tree.body, tree.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(note, ast.Expr)
            and isinstance(note.value, ast.Constant)
        ):
            prop = schema["properties"][field.target.id]
            prop["description"] = inspect.cleandoc(str(note.value.value))
