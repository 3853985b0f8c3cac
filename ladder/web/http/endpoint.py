"""Turns a row of the route tables into an aiohttp handler.

This is the only bridge between the event loop and our handlers, which run in the thread pool. Here
`raw` is the request of aiohttp, and `request` is ours.
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
from ladder.uploads.submissions import MAX_UPLOAD_BYTES
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
"""Lines of a CSV file that are sent at a time."""

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
    """The Content-Security-Policy of a page; `framed_by` lists the sites that may frame it."""
    return (
        "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; "
        f"connect-src 'self'; form-action 'self'; frame-ancestors {framed_by}; base-uri 'none'"
    )


_PAGE_HEADERS = CIMultiDict(_ALWAYS | {"Content-Security-Policy": page_policy(), "Vary": "Cookie"})


@dataclass(frozen=True, slots=True)
class Route:
    """One operation of the API. The OpenAPI document is made from it."""

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
    """Error statuses besides those that parameters, bodies and access imply."""
    cached: bool = False
    """Whether one response serves all readers for a second."""
    streams: tuple[type, ...] = ()
    """The kinds of events of a stream, which ends when its reader leaves. The handler of a stream
    runs on the event loop."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page or form target."""

    method: str
    path: str
    handler: Callable[..., Response]
    access: Access = Access.READER
    params: tuple[Param, ...] = ()
    form: tuple[str, ...] | type[bodies.UploadForm] = ()
    cached: bool = False
    """Whether one page serves all readers without a session for a second."""


def api_endpoint(route: Route) -> Handler:
    async def handle(raw: web.Request) -> web.StreamResponse:
        site = raw.app[SITE]
        values = _values(raw, route.params, strict=True)
        request = _request_of(raw)
        if route.streams:
            streamed: web.StreamResponse = await route.handler(
                site.live, raw, dict(_DATA_HEADERS), request.address, **values
            )
            return streamed
        if route.cached:
            key = (route.path, *values.values())
            response = await site.cache.get(
                key, lambda: site.pool.run(_answer, route, request, None, values)
            )
            return respond(response, request)
        token = None if route.access is Access.ANYONE else auth.bearer(raw.headers)
        if route.body is not None:
            # Refuse a bad token before the body is read.
            request = await site.pool.run(_identified, request, token, route.access)
            token = None
        async with _upload_budget(raw, route.body, request):
            if route.body is not None:
                values["body"] = await _body(raw, request, route.body)
            answer = await site.pool.run(_answer, route, request, token, values)
        if isinstance(answer, Download):
            return await _send_csv(raw, site, answer)
        return respond(answer, request)

    return handle


@asynccontextmanager
async def _upload_budget(raw: web.Request, shape: Any, request: Request) -> AsyncIterator[None]:
    """Reserve memory for an upload, from its first byte until it is stored; other bodies are small.

    Strangers get their account with their first upload and have a budget of their own.
    """
    if shape is not bodies.UploadForm:
        yield
        return
    site = raw.app[SITE]
    budget = site.stranger_uploads if request.reader is None else site.member_uploads
    async with budget.hold(bodies.expected_length(raw, _most_upload(request))):
        yield


def _most_upload(request: Request) -> int:
    """The largest upload of a member, or of somebody who has no account yet."""
    return MAX_UPLOAD_BYTES if request.reader is None else request.site.settings.upload_bytes


def _identified(request: Request, token: str | None, access: Access) -> Request:
    try:
        reader = auth.identify(request.site.db, token, access)
    except auth.BadToken:
        request.site.failures.take(request.address, "bad tokens from your address")
        raise
    if reader is None or token is None:
        return request
    _count_account(request, reader)
    return request.by_token(reader, token, TokenUse.API)


def _count_account(request: Request, reader: AccountView) -> None:
    """Limit an account over all addresses that it uses."""
    request.site.requests.count(f"account {reader.id}", "requests with your account")


def _answer(route: Route, request: Request, token: str | None, values: dict[str, Any]) -> Any:
    if route.access is not Access.ANYONE and request.reader is None:
        request = _identified(request, token, route.access)
    answer = route.handler(request, **values)
    if isinstance(answer, (Response, Download)):
        return answer
    # A cache must keep neither a response for one reader nor one that holds a new token.
    shared = request.reader is None and route.method == "GET"
    headers = {} if shared else {"Cache-Control": "private, no-store"}
    return Response(msgspec.json.encode(answer), JSON, route.status, headers)


async def _body(raw: web.Request, request: Request, shape: type) -> Any:
    if shape is bodies.UploadForm:
        most = _most_upload(request)
        return await bodies.read_upload(raw, most, ("game", "name", "file"), ("lineage",))
    data = await bodies.read_limited(raw, JSON, inputs.MAX_JSON_BYTES)
    return inputs.read_json(data, shape)


_MEMBERS = (Access.MEMBER, Access.ADMIN)


def page_endpoint(page: Page) -> Handler:
    async def handle(raw: web.Request) -> web.StreamResponse:
        site = raw.app[SITE]
        values = _values(raw, page.params, strict=False)
        request = _with_session(raw, _request_of(raw))
        if page.cached and not request.session:
            key = (page.path, request.origin, *values.values())
            response = await site.cache.get(
                key,
                lambda: site.pool.run(_show, page, request, values),
                mark=request.since,
                least=min(request.since, _event_heard(raw)),
            )
            return respond(response, request)
        if page.method == "POST":
            auth.check_same_origin(raw.headers)
            request = await site.pool.run(_signed_in, request)
            if page.access in _MEMBERS and request.reader is None:
                return respond(_to_sign_in(request, _sending_page(request)), request)
        async with _upload_budget(raw, page.form, request):
            if page.method == "POST":
                values["form"] = form = await _form(raw, request, page)
                if page.access in _MEMBERS or (request.reader and page.form is bodies.UploadForm):
                    given = form["csrf"] if isinstance(form, dict) else form.csrf
                    auth.check_csrf(request.session, given)
            response = await site.pool.run(_show, page, request, values)
        return respond(response, request)

    return handle


def _with_session(raw: web.Request, request: Request) -> Request:
    return replace(request, session=raw.cookies.get(auth.cookie_name(request.secure), ""))


async def signed_in_request(raw: web.Request) -> Request | None:
    """The request of a reader who is signed in, for an error page; None for all others."""
    try:
        request = _with_session(raw, _request_of(raw))
        if request.session:
            request = await request.site.pool.run(_signed_in, request)
    except Exception as error:
        log.warning("the reader of an error page is unknown: %s", error)
        return None
    return request if request.reader else None


def _signed_in(request: Request) -> Request:
    if not request.session or request.reader is not None:
        return request
    reader = accounts.authenticate(request.site.db, request.session, TokenUse.SESSION)
    if reader is None:
        return replace(request, session="")
    _count_account(request, reader)
    return request.by_token(reader, request.session, TokenUse.SESSION)


def _show(page: Page, request: Request, values: dict[str, Any]) -> Response:
    request = _signed_in(request)
    try:
        auth.admit(request.reader, page.access)
        response = page.handler(request, **values)
    except Unauthorized:
        return _to_sign_in(request, request.target)
    if not request.session and response.session is None and page.method == "GET":
        response = pack(response)
    if request.reader is None or "Cache-Control" in response.headers:
        return response
    return replace(response, headers={"Cache-Control": "private, no-store", **response.headers})


def _to_sign_in(request: Request, next: str) -> Response:
    """Lead to the sign-in, which leads back to `next`."""
    return see_other(f"/signin?next={quote(next)}" if inputs.is_local(next) else "/signin")


def _sending_page(request: Request) -> str:
    """The page of ours that sent a form; empty if the browser does not say."""
    page = request.headers.get("Referer", "")
    return page.removeprefix(request.origin) if page.startswith(request.origin) else ""


async def _form(raw: web.Request, request: Request, page: Page) -> Any:
    if page.form is bodies.UploadForm:
        optional = ("csrf", "file", "code", "token", "account", "invite")
        most = _most_upload(request)
        return await bodies.read_upload(raw, most, ("game", "name"), optional)
    assert isinstance(page.form, tuple)
    data = await bodies.read_limited(raw, FORM, inputs.MAX_JSON_BYTES)
    return inputs.read_form(data, page.form)


def _values(raw: web.Request, params: tuple[Param, ...], *, strict: bool) -> dict[str, Any]:
    query = list(raw.query.items()) if raw.query_string else []
    return inputs.read_params(params, raw.match_info, query, strict)


def _event_heard(raw: web.Request) -> int:
    """Number of the event that made a page request itself again; 0 without one."""
    given = raw.headers.get(LIVE_EVENT, "")
    return int(given) if re.fullmatch(r"[0-9]{1,18}", given, re.ASCII) else 0


def sender(raw: web.Request) -> str:
    """The address that a request comes from; it looks through our own proxies."""
    given = raw.headers.getall("X-Forwarded-For", ())
    return client_address(raw.remote or "", given, raw.app[SITE].proxies)


def _request_of(raw: web.Request) -> Request:
    site = raw.app[SITE]
    given = raw.headers.getall("X-Forwarded-Proto", ())
    secure = site.settings.secure_cookies or came_by_https(raw.remote or "", given, site.proxies)
    return Request(
        site=site,
        address=sender(raw),
        origin=_origin(raw, site, secure),
        path=raw.path,
        headers=raw.headers,
        target=raw.path_qs,
        secure=secure,
        since=site.live.last,
    )


def _origin(raw: web.Request, site: Site, secure: bool) -> str:
    host = raw.host
    if not re.fullmatch(r"[A-Za-z0-9.:\[\]-]{1,255}", host):
        host = f"{site.settings.host}:{site.settings.port}"
    return f"{'https' if secure else 'http'}://{host}"


def respond(response: Response, request: Request | None = None) -> web.Response:
    """The response of the framework. Responses to errors have neither `request` nor cookie."""
    headers = (_PAGE_HEADERS if response.media is HTML else _DATA_HEADERS).copy()
    headers["Content-Type"] = response.media
    body = response.body
    if response.packed is not None:
        headers["Vary"] = ", ".join([*headers.getall("Vary", []), "Accept-Encoding"])
        if request and accepts_gzip(request.headers.get("Accept-Encoding", "")):
            body = response.packed
            headers["Content-Encoding"] = "gzip"
    if response.headers:
        headers.update(response.headers)
    if request is not None and request.secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    if response.session is not None:
        headers["Cache-Control"] = "private, no-store"  # a cookie is for one browser
    sent = web.Response(body=body, status=response.status, headers=headers)
    if response.session is not None:
        assert request is not None
        sent.set_cookie(
            auth.cookie_name(request.secure),
            response.session,
            max_age=auth.SESSION_SECONDS if response.session else 0,
            path="/",
            httponly=True,
            samesite="Lax",
            secure=request.secure,
        )
    return sent


async def _send_csv(raw: web.Request, site: Site, file: Download) -> web.StreamResponse:
    def some_lines() -> bytes:
        return "".join(itertools.islice(file.lines, CSV_LINES)).encode()

    chunk = await site.pool.run(some_lines)  # it may raise, so it runs before the headers
    headers = _DATA_HEADERS.copy()
    headers["Content-Type"] = CSV
    headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    sent = web.StreamResponse(headers=headers)
    await sent.prepare(raw)
    if raw.method == "HEAD":  # the framework would read the whole file and drop it
        return sent
    try:
        while chunk:
            await sent.write(chunk)
            chunk = await site.pool.run(some_lines)
        await sent.write_eof()
    except ConnectionResetError:
        log.info("%s: the reader of %s has gone", raw.remote, file.name)
    except Exception:
        # The headers are sent. Only a broken connection can still say that the file is incomplete.
        log.exception("%s broke off", file.name)
        if raw.transport is not None:
            raw.transport.abort()
    return sent
