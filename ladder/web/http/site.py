"""The site, the request and the response: all that a handler works with.

A handler never sees a request of aiohttp: it is a plain function that runs in any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import jinja2

from ladder.addresses import Network
from ladder.host.meters import Meters
from ladder.matches.replays import ReplayStore
from ladder.people import accounts
from ladder.settings import Settings
from ladder.store import Database
from ladder.values import TokenUse
from ladder.views import AccountView
from ladder.web.http.budgets import ByteBudget, HandlerPool
from ladder.web.http.cache import ResponseCache
from ladder.web.http.live import Live
from ladder.web.http.metrics import RequestCounts
from ladder.web.http.throttle import Meter, Throttle

HTML = "text/html; charset=utf-8"
JSON = "application/json"
CSV = "text/csv; charset=utf-8"
TEXT = "text/plain; charset=utf-8"
BYTES = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class Response:
    """A response with its whole body."""

    body: bytes
    media: str = HTML
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    session: str | None = None
    """Token of the new session cookie; an empty text deletes the cookie, None keeps it."""
    packed: bytes | None = None
    """The body as gzip, for readers that accept it; None when it is never compressed."""


def see_other(path: str, session: str | None = None) -> Response:
    return Response(b"", HTML, 303, {"Location": path}, session)


@dataclass(frozen=True, slots=True)
class Download:
    """A CSV file that is sent while it is read."""

    name: str
    lines: Iterator[str]


@dataclass(frozen=True, slots=True)
class Site:
    """Everything a handler may use, made once by `make_app`."""

    settings: Settings
    db: Database
    replays: ReplayStore
    status: Callable[[], Mapping[str, Any]]
    notes: Callable[[], Mapping[str, str]]
    """By game: a sentence that says why its matches do not begin now."""
    live: Live
    pool: HandlerPool
    member_uploads: ByteBudget
    """Memory for uploads of members."""
    stranger_uploads: ByteBudget
    """Memory for uploads of readers who are not signed in."""
    proxies: tuple[Network, ...]
    cache: ResponseCache[Response]
    templates: jinja2.Environment
    registrations: Throttle
    failures: Throttle
    """Invalid tokens, by address."""
    refusals: Throttle
    """Refused uploads, by account, or by address when there is no account."""
    requests: Meter
    request_counts: RequestCounts
    meters: Meters
    openapi: bytes


@dataclass(frozen=True, slots=True)
class Request:
    """The parts of a request that handlers need."""

    site: Site
    address: str
    """The address that it came from."""
    origin: str
    """URL of this site as the reader knows it."""
    path: str
    headers: Mapping[str, str]
    target: str = ""
    """Path and query as they were sent."""
    session: str = ""
    """Token of the session cookie; empty under /api, where cookies do not count."""
    secure: bool = False
    """Whether the browser speaks HTTPS, to us or to a proxy of ours."""
    since: int = 0
    """The newest event when the request arrived; the response is not older than that event."""
    reader: AccountView | None = None
    """The account of the valid token, on routes that look at tokens."""

    def by_token(self, reader: AccountView, token: str, use: TokenUse) -> Request:
        """The same request as `reader`. Its writes fail when the token is no longer valid."""
        db = self.site.db.checked(accounts.holds_token(token, use))
        return replace(self, reader=reader, site=replace(self.site, db=db))

    @property
    def member(self) -> AccountView:
        """The reader, on routes that only members reach."""
        if self.reader is None:
            raise AssertionError(f"{self.path} was reached without its access check")
        return self.reader
