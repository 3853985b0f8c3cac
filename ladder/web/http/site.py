"""What handlers work with: the site they serve, the request they were asked, the reply they give.

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
    """A whole answer."""

    body: bytes
    media: str = HTML
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    session: str | None = None
    """Token to set as the session cookie; empty takes the cookie away, None leaves it."""
    packed: bytes | None = None
    """The body as gzip, for those who take it; None when nobody gets it so."""


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
    """About games whose matches do not begin now: a sentence each."""
    live: Live
    pool: HandlerPool
    member_uploads: ByteBudget
    """For the uploads of members."""
    stranger_uploads: ByteBudget
    """For those of strangers."""
    proxies: tuple[Network, ...]
    cache: ResponseCache[Response]
    templates: jinja2.Environment
    registrations: Throttle
    failures: Throttle
    """Tokens that were not valid, by address."""
    refusals: Throttle
    """Uploads that were refused, by account, or by address of who has none."""
    requests: Meter
    request_counts: RequestCounts
    meters: Meters
    openapi: bytes


@dataclass(frozen=True, slots=True)
class Request:
    """One request, as far as handlers need it."""

    site: Site
    address: str
    """Where it came from."""
    origin: str
    """Address of this site as the reader knows it."""
    path: str
    headers: Mapping[str, str]
    session: str = ""
    """Token of the session cookie; empty under /api, where cookies do not count."""
    secure: bool = False
    """Whether the browser speaks HTTPS, to us or to a proxy of ours."""
    since: int = 0
    """The newest event when it was asked: whatever is read for it knows of that."""
    reader: AccountView | None = None
    """Who asks, when the route looks at that and a valid token came along."""

    def by_token(self, reader: AccountView, token: str, use: TokenUse) -> Request:
        """The same request by whom the token belongs to; all that it writes depends on it."""
        db = self.site.db.checked(accounts.holds_token(token, use))
        return replace(self, reader=reader, site=replace(self.site, db=db))

    @property
    def member(self) -> AccountView:
        """Who asks, on routes that only members reach."""
        if self.reader is None:
            raise AssertionError(f"{self.path} was reached without its access check")
        return self.reader
