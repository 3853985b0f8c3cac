"""Turns a row of the route tables into an aiohttp handler: the only bridge between the event loop
and the handlers, which run in the thread pool.
"""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias
from urllib.parse import quote

import msgspec
from aiohttp import web
from multidict import CIMultiDict

from ladder.addresses import came_by_https, client_address
from ladder.errors import Unauthorized
from ladder.people import accounts
from ladder.values import TokenUse
from ladder.views import AccountView
from ladder.web.http import auth, bodies, inputs
from ladder.web.http.auth import Access
from ladder.web.http.encodings import accepts_gzip, pack
from ladder.web.http.inputs import Param
from ladder.web.http.site import CSV, HTML, JSON, Download, Request, Response, Site, see_other

log = logging.getLogger(__name__)

SITE = web.AppKey("site", Site)
FORM = "application/x-www-form-urlencoded"
LIVE_EVENT = "Live-Event"
CSV_LINES = 500
"""How many lines of a CSV file are sent at a time."""

Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # `no-referrer` would hide the origin of our own forms
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Cache-Control": "no-cache",
    "Server": "Evoladder",
}
_DATA_HEADERS = CIMultiDict(
    _ALWAYS | {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox"}
)


def page_policy(framed_by: str = "'none'") -> str:
    """What browsers may do for a page of ours, and who may show it in a frame."""
    return (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; "
        f"connect-src 'self'; form-action 'self'; frame-ancestors {framed_by}; base-uri 'none'"
    )


_PAGE_HEADERS = CIMultiDict(_ALWAYS | {"Content-Security-Policy": page_policy(), "Vary": "Cookie"})


@dataclass(frozen=True, slots=True)
class Route:
    """One operation of the API; its row is also its documentation."""

    method: str
    path: str
    handler: Callable[..., Any]
    """Called with the `Request`, the parameters by name, and `body` if there is one."""
    summary: str
    answer: Any
    """The view that is sent as JSON, or a media type."""
    access: Access = Access.ANYONE
    params: tuple[Param, ...] = ()
    body: type | None = None
    status: int = 200
    problems: tuple[int, ...] = ()
    """Error statuses beyond those that parameters, bodies and access imply."""
    fresh: bool = False
    """Whether the same answer may serve everyone for a moment."""
    streams: tuple[type, ...] = ()
    """What its events tell of, if it answers for as long as its reader stays; its handler then runs
    on the event loop."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page or form target."""

    method: str
    path: str
    handler: Callable[..., Response]
    access: Access = Access.READER
    params: tuple[Param, ...] = ()
    form: tuple[str, ...] | type[bodies.UploadForm] = ()
    fresh: bool = False
    """Whether the same page may serve everyone who is not signed in."""


def api_endpoint(route: Route) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        site = request.app[SITE]
        values = _values(request, route.params, strict=True)
        ask = _ask(request)
        if route.streams:
            streamed: web.StreamResponse = await route.handler(
                site.live, request, dict(_DATA_HEADERS), ask.address, **values
            )
            return streamed
        if route.fresh:
            key = (route.path, *values.values())
            reply = await site.fresh.get(
                key, lambda: site.crew.run(_answer, route, ask, None, values)
            )
            return respond(reply, ask)
        token = None if route.access is Access.ANYONE else auth.bearer(request.headers)
        if route.body is not None:
            # Strangers are turned away before their body is read.
            ask = await site.crew.run(_identified, ask, token, route.access)
            token = None
        async with _room(request, route.body, ask):
            if route.body is not None:
                values["body"] = await _body(request, route.body)
            answer = await site.crew.run(_answer, route, ask, token, values)
        if isinstance(answer, Download):
            return await _send_csv(request, site, answer)
        return respond(answer, ask)

    return handle


@asynccontextmanager
async def _room(request: web.Request, shape: Any, ask: Request) -> AsyncIterator[None]:
    """Room for an upload, from its first byte until it is stored; all else is small.

    Strangers, who get their account with their first upload, wait in a queue of their own.
    """
    if shape is not bodies.UploadForm:
        yield
        return
    site = request.app[SITE]
    room = site.porch if ask.reader is None else site.room
    async with room.hold(bodies.expected_length(request)):
        yield


def _identified(ask: Request, token: str | None, access: Access) -> Request:
    try:
        reader = auth.identify(ask.site.db, token, access)
    except auth.BadToken:
        ask.site.failures.take(ask.address, "bad tokens from your address")
        raise
    if reader is None or token is None:
        return ask
    _count_account(ask, reader)
    return ask.by_token(reader, token, TokenUse.API)


def _count_account(ask: Request, reader: AccountView) -> None:
    """However many addresses an account uses, it has one measure."""
    ask.site.requests.count(f"account {reader.id}", "requests with your account")


def _answer(route: Route, ask: Request, token: str | None, values: dict[str, Any]) -> Any:
    if route.access is not Access.ANYONE and ask.reader is None:
        ask = _identified(ask, token, route.access)
    answer = route.handler(ask, **values)
    if isinstance(answer, (Response, Download)):
        return answer
    # What is for one reader, or holds a token that was just made, is kept nowhere on its way.
    shared = ask.reader is None and route.method == "GET"
    headers = {} if shared else {"Cache-Control": "private, no-store"}
    return Response(msgspec.json.encode(answer), JSON, route.status, headers)


async def _body(request: web.Request, shape: type) -> Any:
    if shape is bodies.UploadForm:
        return await bodies.read_upload(request, ("game", "name", "file"), ("lineage",))
    data = await bodies.read_limited(request, JSON, inputs.MAX_JSON_BYTES)
    return inputs.read_json(data, shape)


_MEMBERS = (Access.MEMBER, Access.ADMIN)


def page_endpoint(page: Page) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        site = request.app[SITE]
        values = _values(request, page.params, strict=False)
        ask = _ask(request)
        ask = replace(ask, session=request.cookies.get(auth.cookie_name(ask.secure), ""))
        if page.fresh and not ask.session:
            key = (page.path, ask.origin, *values.values())
            reply = await site.fresh.get(
                key,
                lambda: site.crew.run(_show, page, ask, values),
                mark=ask.since,
                least=min(ask.since, _heard_of(request)),
            )
            return respond(reply, ask)
        if page.method == "POST":
            auth.check_same_origin(request.headers)
            ask = await site.crew.run(_signed_in, ask)
            if page.access in _MEMBERS and ask.reader is None:
                return respond(_to_sign_in(ask), ask)
        async with _room(request, page.form, ask):
            if page.method == "POST":
                values["form"] = form = await _form(request, page)
                if page.access in _MEMBERS or (ask.reader and page.form is bodies.UploadForm):
                    given = form["csrf"] if isinstance(form, dict) else form.csrf
                    auth.check_csrf(ask.session, given)
            reply = await site.crew.run(_show, page, ask, values)
        return respond(reply, ask)

    return handle


def _signed_in(ask: Request) -> Request:
    if not ask.session or ask.reader is not None:
        return ask
    reader = accounts.authenticate(ask.site.db, ask.session, TokenUse.SESSION)
    if reader is None:
        return replace(ask, session="")
    _count_account(ask, reader)
    return ask.by_token(reader, ask.session, TokenUse.SESSION)


def _show(page: Page, ask: Request, values: dict[str, Any]) -> Response:
    ask = _signed_in(ask)
    try:
        auth.admit(ask.reader, page.access)
        reply = page.handler(ask, **values)
    except Unauthorized:
        return _to_sign_in(ask)
    if not ask.session and reply.session is None and page.method == "GET":
        reply = pack(reply)
    if ask.reader is None or "Cache-Control" in reply.headers:
        return reply
    return replace(reply, headers={"Cache-Control": "private, no-store", **reply.headers})


def _to_sign_in(ask: Request) -> Response:
    return see_other(f"/signin?next={quote(ask.path)}")


async def _form(request: web.Request, page: Page) -> Any:
    if page.form is bodies.UploadForm:
        optional = ("csrf", "file", "code", "token", "account", "invite")
        return await bodies.read_upload(request, ("game", "name"), optional)
    assert isinstance(page.form, tuple)
    data = await bodies.read_limited(request, FORM, inputs.MAX_JSON_BYTES)
    return inputs.read_form(data, page.form)


def _values(request: web.Request, params: tuple[Param, ...], *, strict: bool) -> dict[str, Any]:
    query = list(request.query.items()) if request.query_string else []
    return inputs.read_params(params, request.match_info, query, strict)


def _heard_of(request: web.Request) -> int:
    """The event that made the page of a reader ask for itself again."""
    told = request.headers.get(LIVE_EVENT, "")
    return int(told) if re.fullmatch(r"[0-9]{1,18}", told, re.ASCII) else 0


def sender(request: web.Request) -> str:
    """The address a request comes from, also through a proxy of ours."""
    told = request.headers.getall("X-Forwarded-For", ())
    return client_address(request.remote or "", told, request.app[SITE].proxies)


def _ask(request: web.Request) -> Request:
    site = request.app[SITE]
    told = request.headers.getall("X-Forwarded-Proto", ())
    secure = site.settings.secure_cookies or came_by_https(request.remote or "", told, site.proxies)
    return Request(
        site=site,
        address=sender(request),
        origin=_origin(request, site, secure),
        path=request.path,
        headers=request.headers,
        secure=secure,
        since=site.live.last,
    )


def _origin(request: web.Request, site: Site, secure: bool) -> str:
    host = request.host
    if not re.fullmatch(r"[A-Za-z0-9.:\[\]-]{1,255}", host):
        host = f"{site.settings.host}:{site.settings.port}"
    return f"{'https' if secure else 'http'}://{host}"


def respond(reply: Response, ask: Request | None = None, packed: bool = False) -> web.Response:
    """The answer on the wire. Replies to errors know no `ask`, and set no cookie.

    `packed`: the reader takes gzip, as far as `ask` does not tell.
    """
    headers = (_PAGE_HEADERS if reply.media is HTML else _DATA_HEADERS).copy()
    headers["Content-Type"] = reply.media
    body = reply.body
    if reply.packed is not None:
        headers["Vary"] = ", ".join([*headers.getall("Vary", []), "Accept-Encoding"])
        if packed or (ask and accepts_gzip(ask.headers.get("Accept-Encoding", ""))):
            body = reply.packed
            headers["Content-Encoding"] = "gzip"
    if reply.headers:
        headers.update(reply.headers)
    if ask is not None and ask.secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    if reply.session is not None:
        headers["Cache-Control"] = "private, no-store"  # a cookie is for one browser
    response = web.Response(body=body, status=reply.status, headers=headers)
    if reply.session is not None:
        assert ask is not None
        response.set_cookie(
            auth.cookie_name(ask.secure),
            reply.session,
            max_age=auth.SESSION_SECONDS if reply.session else 0,
            path="/",
            httponly=True,
            samesite="Lax",
            secure=ask.secure,
        )
    return response


async def _send_csv(request: web.Request, site: Site, file: Download) -> web.StreamResponse:
    def some_lines() -> bytes:
        return "".join(itertools.islice(file.lines, CSV_LINES)).encode()

    chunk = await site.crew.run(some_lines)  # before the headers: it may raise
    headers = _DATA_HEADERS.copy()
    headers["Content-Type"] = CSV
    headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    if request.method == "HEAD":  # the framework would let us read it all for nobody
        return response
    try:
        while chunk:
            await response.write(chunk)
            chunk = await site.crew.run(some_lines)
        await response.write_eof()
    except ConnectionResetError:
        log.info("%s: the reader of %s has gone", request.remote, file.name)
    except Exception:
        # The headers are out: all that can still be said is that the file is not complete.
        log.exception("%s broke off", file.name)
        if request.transport is not None:
            request.transport.abort()
    return response
