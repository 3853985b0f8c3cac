"""The web application: routes from their tables, one middleware around them, static files."""

from __future__ import annotations

import gc
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import msgspec
from aiohttp import web

from engines.games import UnknownGame
from ladder.addresses import household
from ladder.boards import ladders
from ladder.errors import LadderError, Unavailable
from ladder.host.meters import Meters
from ladder.matches.replays import ReplayStore
from ladder.settings import Settings
from ladder.store import Database
from ladder.web.api import openapi
from ladder.web.api.operations import VERSION
from ladder.web.api.routes import api_routes
from ladder.web.http import problems
from ladder.web.http.bodies import AROUND_BYTES, answer_expectation
from ladder.web.http.budgets import ByteBudget, HandlerPool
from ladder.web.http.cache import ResponseCache
from ladder.web.http.connections import most_connections
from ladder.web.http.encodings import conditional
from ladder.web.http.endpoint import (
    SITE,
    Handler,
    api_endpoint,
    page_endpoint,
    respond,
    sender,
    signed_in_request,
)
from ladder.web.http.live import Live
from ladder.web.http.metrics import RequestCounts
from ladder.web.http.site import Response, Site
from ladder.web.http.static_files import static_files
from ladder.web.http.throttle import Meter, Throttle
from ladder.web.pages.rendering import environment
from ladder.web.pages.routes import PAGES

log = logging.getLogger(__name__)

MEMBER_UPLOAD_BYTES = 16 * 1024 * 1024
STRANGER_UPLOAD_BYTES = 4 * 1024 * 1024
UPLOAD_WAIT_SECONDS = 30
"""Seconds that an upload waits for memory."""

FAILURES_PER_MINUTE = 100
"""Bad tokens that an address may send."""

CACHE_SECONDS = 1.0
CACHE_ENTRIES = 512

METHODS = ("GET", "HEAD", "POST")
"""Methods that are counted by name; clients may send any word as a method."""

IMMUTABLE = "public, max-age=31536000, immutable"
"""Cache-Control of URLs that change with their content."""


def make_app(
    settings: Settings,
    db: Database,
    replays: ReplayStore,
    status: Callable[[], Mapping[str, Any]],
    meters: Meters | None = None,
    notes: Callable[[], Mapping[str, str]] = dict,
) -> web.Application:
    """The site over one database. `status` returns the facts that only the server process knows.

    Its `sandbox` is the tier of uploaded bots; its other numbers become metrics. `notes` returns a
    sentence about each game whose matches do not begin now.
    """
    app = web.Application(middlewares=[guard], client_max_size=settings.upload_bytes + AROUND_BYTES)
    static = static_files()
    games = [game.name for game in ladders.games().games]
    routes = api_routes(games)
    app[SITE] = Site(
        settings=settings,
        db=db,
        replays=replays,
        status=status,
        notes=notes,
        live=Live(db, min(settings.live_clients, most_connections() * 3 // 4)),
        pool=HandlerPool(),
        member_uploads=ByteBudget(MEMBER_UPLOAD_BYTES, UPLOAD_WAIT_SECONDS),
        stranger_uploads=ByteBudget(STRANGER_UPLOAD_BYTES, UPLOAD_WAIT_SECONDS),
        proxies=settings.proxy_networks,
        cache=ResponseCache(CACHE_SECONDS, CACHE_ENTRIES),
        templates=environment(settings, static),
        registrations=Throttle(settings.accounts_per_hour, 3600),
        failures=Throttle(FAILURES_PER_MINUTE, 60),
        refusals=Throttle(settings.refused_uploads_per_hour, 3600),
        requests=Meter(settings.requests_per_minute, 60),
        request_counts=RequestCounts(),
        meters=meters or Meters(),
        openapi=msgspec.json.encode(openapi.document(routes, games, VERSION)),
    )
    for route in routes:
        _add(app, route.method, route.path, api_endpoint(route))
    for page in PAGES:
        _add(app, page.method, page.path, page_endpoint(page))
    for path, file in static.items():
        _add(app, "GET", path, _static_handler(file))
    app.cleanup_ctx.append(_close_pool)
    app.on_startup.append(_start_live)
    app.on_shutdown.append(_stop_live)
    return app


def _add(app: web.Application, method: str, path: str, handler: Handler) -> None:
    app.router.add_route(method, path, handler, expect_handler=answer_expectation)
    if method == "GET":
        app.router.add_route("HEAD", path, handler)


async def _start_live(app: web.Application) -> None:
    await app[SITE].live.start()


async def _stop_live(app: web.Application) -> None:
    await app[SITE].live.stop()


async def _close_pool(app: web.Application) -> AsyncIterator[None]:
    # All objects loaded here stay. Searching them for garbage repeatedly would delay one page
    # in twenty by a tenth of a second.
    if not gc.get_freeze_count():
        gc.freeze()
    yield
    app[SITE].pool.close()


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn every error into a response, and count the responses."""
    site = request.app[SITE]
    admitted = False
    try:
        address = sender(request)
        # Loopback too: it may be a proxy on this machine that the settings do not list.
        site.requests.count(household(address), "requests from your address")
        admitted = True
        response = await handler(request)
    except (LadderError, UnknownGame) as error:
        if isinstance(error, LadderError) and error.status == 500:
            log.error("%s %r failed", request.method, request.path, exc_info=error)
        elif isinstance(error, Unavailable):
            log.warning("%s %r: %s (%s)", request.method, request.path, error, _cause(error))
        problem, headers = problems.from_error(error)
        # No query for somebody who asks too often, or while the server is overloaded.
        admitted = admitted and not isinstance(error, Unavailable)
        response = await _problem(request, problem, headers, admitted)
    except web.HTTPException as error:
        kept = {name: error.headers[name] for name in ("Allow",) if name in error.headers}
        response = await _problem(request, problems.from_status(error.status), kept, admitted)
    except Exception:
        log.exception("%s %r failed", request.method, request.path)
        response = await _problem(request, problems.from_status(500), {}, admitted)
    resource = request.match_info.route.resource
    route = "other" if resource is None else resource.canonical
    method = request.method if request.method in METHODS else "other"
    site.request_counts.requests[method, route, response.status] += 1
    return response


def _cause(error: BaseException) -> str:
    """The cause of an error, in one line."""
    lines = str(error.__cause__ or "").splitlines()
    return lines[0] if lines else "unknown cause"


async def _problem(
    raw: web.Request, problem: problems.Problem, headers: Mapping[str, str], admitted: bool
) -> web.Response:
    if problems.is_api(raw.path):
        return respond(problems.as_json(problem, headers))
    signed_in = await signed_in_request(raw) if admitted else None
    templates = raw.app[SITE].templates
    return respond(problems.as_page(problem, raw.path, templates, headers, signed_in))


def _static_handler(file: Response) -> Handler:
    version = file.headers["ETag"].strip('"')

    def body(as_gzip: bool) -> bytes:
        return file.packed if as_gzip and file.packed is not None else file.body

    async def handle(request: web.Request) -> web.StreamResponse:
        # Modules import one another without the hash: browsers must check those for changes.
        kept = IMMUTABLE if request.query.get("v") == version else "no-cache"
        headers = {"Cache-Control": kept}
        return respond(conditional(request.headers, version, body, file.media, headers))

    return handle
