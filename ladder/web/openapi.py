"""The OpenAPI 3.1 document, made from the route table and the classes it names."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from ladder import views
from ladder.web.auth import Access
from ladder.web.bodies import UploadForm
from ladder.web.endpoint import Route
from ladder.web.inputs import NAME_SCHEMA
from ladder.web.problems import PROBLEM, Problem
from ladder.web.site import JSON

_SECURITY: dict[Access, list[dict[str, list[str]]]] = {
    Access.ANYONE: [],
    Access.READER: [{}, {"bearer": []}],
    Access.MEMBER: [{"bearer": []}],
    Access.ADMIN: [{"bearer": []}],
}


def document(routes: Sequence[Route], games: Sequence[str], version: str) -> dict[str, Any]:
    shapes = [route.answer for route in routes if not isinstance(route.answer, str)]
    shapes += [route.body for route in routes if route.body not in (None, UploadForm)]
    unique = list(dict.fromkeys([*shapes, Problem]))
    schemas, components = msgspec.json.schema_components(
        unique, ref_template="#/components/schemas/{name}"
    )
    refs = dict(zip(unique, schemas, strict=True))
    for name, schema in components.items():
        _describe(schema, getattr(views, name, None))
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, refs, games)
    return {
        "openapi": "3.1.0",
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
    """Every error status the route may answer with."""
    # 400: unknown query parameters are refused everywhere. 429, 503: too many requests, or ours
    # is the trouble.
    statuses = {400, 429, 503, *route.problems}
    if any(param.where == "path" for param in route.params):
        statuses.add(404)
    if route.body is not None:
        statuses |= {408, 413, 415}
    if route.method != "GET":
        statuses.add(507)
    if route.access is not Access.ANYONE:
        statuses |= {401, 403}  # 403: the account is banned, or no admin
    return sorted(status for status in statuses if status >= 400)


def _operation(route: Route, refs: dict[Any, dict[str, Any]], games: Sequence[str]) -> Any:
    if isinstance(route.answer, str):
        media = route.answer
        schema: dict[str, Any] = {"type": "object"} if media == JSON else {"type": "string"}
    else:
        media, schema = JSON, refs[route.answer]
    responses: dict[str, Any] = {
        str(route.status): {
            "description": "As asked.",
            "content": {media.partition(";")[0]: {"schema": schema}},
        }
    }
    if 304 in route.problems:
        responses["304"] = {"description": "Not changed since the `ETag` of `If-None-Match`."}
    for status in problem_statuses(route):
        responses[str(status)] = {
            "description": "Refused; `detail` says why.",
            "content": {PROBLEM: {"schema": refs[Problem]}},
        }
    operation: dict[str, Any] = {
        "operationId": route.handler.__name__,
        "summary": route.summary,
        "security": _SECURITY[route.access],
        "parameters": [
            {
                "name": param.name,
                "in": param.where,
                "required": param.where == "path",
                "description": param.about,
                "schema": dict(param.schema),
            }
            for param in route.params
        ],
        "responses": responses,
    }
    if route.body is not None:
        upload = route.body is UploadForm
        media = "multipart/form-data" if upload else JSON
        body = _upload_schema(games) if upload else refs[route.body]
        operation["requestBody"] = {"required": True, "content": {media: {"schema": body}}}
    return operation


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
                "description": "Where an evolved bot comes from: a `Lineage` as JSON.",
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
