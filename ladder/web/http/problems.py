"""The one place where errors become responses: problem+json under /api, a page elsewhere."""

from __future__ import annotations

import http
from collections.abc import Mapping

import jinja2
import msgspec

from engines.games import UnknownGame
from ladder.errors import LadderError, NotFound, TooMany, Unauthorized, Unavailable
from ladder.web.http import auth
from ladder.web.http.auth import BadToken
from ladder.web.http.site import HTML, Request, Response

PROBLEM = "application/problem+json"

MOST_DETAIL = 2_000
"""Longest message; some quote a part of the request, which may be long."""


class Problem(msgspec.Struct):
    """An error, as in RFC 9457."""

    title: str
    status: int
    detail: str
    type: str = "about:blank"


def is_api(path: str) -> bool:
    return path.startswith("/api/") or path in ("/healthz", "/metrics", "/live", "/api")


def from_error(error: LadderError | UnknownGame) -> tuple[Problem, dict[str, str]]:
    """The problem that an error shows to its reader, and the headers of the response."""
    if isinstance(error, UnknownGame):
        error = NotFound(str(error))
    headers: dict[str, str] = {}
    if isinstance(error, BadToken):
        headers["WWW-Authenticate"] = 'Bearer realm="evoladder", error="invalid_token"'
    elif isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = 'Bearer realm="evoladder"'
    elif isinstance(error, (TooMany, Unavailable)):
        headers["Retry-After"] = str(error.retry_after)
    # The text of a fault of ours may name files and hosts; refusals are written for strangers.
    detail = (
        str(error)
        if error.status != 500
        else "the server failed and logged the error; try again, or tell its admin"
    )
    return Problem(error.title, error.status, detail[:MOST_DETAIL]), headers


def from_status(status: int) -> Problem:
    phrase = http.HTTPStatus(status)
    return Problem(phrase.phrase, status, phrase.description or phrase.phrase)


def as_json(problem: Problem, headers: Mapping[str, str]) -> Response:
    return Response(msgspec.json.encode(problem), PROBLEM, problem.status, headers)


def as_page(
    problem: Problem,
    path: str,
    templates: jinja2.Environment,
    headers: Mapping[str, str],
    signed_in: Request | None,
) -> Response:
    """The page of an error. It names the reader of the request `signed_in`, if there is one."""
    page = templates.get_template("error.html").render(
        problem=problem,
        reader=signed_in.reader if signed_in else None,
        csrf=auth.csrf_token(signed_in.session) if signed_in else "",
        here=path,
    )
    kept = {"Cache-Control": "private, no-store"} if signed_in else {}
    return Response(page.encode(), HTML, problem.status, {**kept, **headers})
