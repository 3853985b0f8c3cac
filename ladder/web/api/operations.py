"""The operations of the JSON API. Each calls one use case and returns its view."""

from __future__ import annotations

import gzip
import hashlib
import importlib.metadata
from typing import Annotated

import msgspec

from engines.games import LEFT_OUT
from ladder import evolution
from ladder.admin import repairs
from ladder.boards import ladders
from ladder.matches import listing
from ladder.people import accounts
from ladder.uploads import submissions, validations
from ladder.uploads.submissions import Upload
from ladder.values import OPEN_DIVISION, MatchStatus
from ladder.views import (
    AccountView,
    BoardPage,
    BotRef,
    BotView,
    EvolutionPage,
    EvolutionView,
    GameList,
    Health,
    HistoryPage,
    MatchLogs,
    MatchPage,
    MatchView,
    NewAccount,
    ValidationView,
    VersionList,
)
from ladder.web import intake
from ladder.web.http import metrics
from ladder.web.http.bodies import UploadForm
from ladder.web.http.encodings import accepts_gzip, names_etag
from ladder.web.http.inputs import ANY_TEXT, NAME_SCHEMA
from ladder.web.http.site import JSON, TEXT, Download, Request, Response

VERSION = importlib.metadata.version("evoladder")


class AccountBody(msgspec.Struct, forbid_unknown_fields=True):
    # The pattern is for readers of the document only: Python's own `re` does not know \p.
    name: Annotated[str, msgspec.Meta(extra_json_schema=NAME_SCHEMA)]
    invite: Annotated[str, msgspec.Meta(max_length=200, pattern=ANY_TEXT)] | None = None


class BotList(msgspec.Struct):
    bots: list[BotRef]


def openapi(ask: Request) -> Response:
    return Response(ask.site.openapi, JSON)


def health(ask: Request) -> Health:
    ask.site.db.check_writable()
    counts = listing.counts(ask.site.db)
    return Health(
        status="ok",
        version=VERSION,
        queue=counts.get(MatchStatus.QUEUED, 0),
        running=counts.get(MatchStatus.LEASED, 0),
        sandbox=str(ask.site.status().get("sandbox", "none")),
        not_played=dict(ask.site.notes()),
        left_out=[one.plugin for one in LEFT_OUT],
    )


def show_metrics(ask: Request) -> Response:
    site = ask.site
    text = metrics.prometheus(
        site.tally,
        listing.counts(site.db),
        site.status(),
        listing.queues(site.db),
        repairs.last_backup(site.db),
        site.meters,
    )
    return Response(text.encode(), metrics.MEDIA)


def create_account(ask: Request, body: AccountBody) -> NewAccount:
    return intake.register(ask, body.name, body.invite)


def who_am_i(ask: Request) -> AccountView:
    return ask.member


def replace_token(ask: Request) -> NewAccount:
    return accounts.replace_tokens(ask.site.db, ask.member)


def list_games(ask: Request) -> GameList:
    return ladders.games()


def leaderboard(ask: Request, game: str, division: str, after: str | None, limit: int) -> BoardPage:
    return ladders.page(ask.site.db, game, division, after, limit)


def ratings_csv(ask: Request, game: str, division: str) -> Download:
    name = f"{game}-ratings.csv" if division == OPEN_DIVISION else f"{game}-{division}-ratings.csv"
    return Download(name, ladders.ratings_csv(ask.site.db, game, division))


def results_csv(ask: Request, game: str) -> Download:
    return Download(f"{game}-results.csv", ladders.results_csv(ask.site.db, game))


def submit_bot(ask: Request, body: UploadForm) -> Response:
    with intake.metered(ask):
        submission = intake.enter(ask, Upload(body.game, body.name, body.file, body.lineage))
    headers = {"Location": f"/api/v1/bots/{submission.id}", "Cache-Control": "private, no-store"}
    return Response(msgspec.json.encode(submission), JSON, 202, headers)


def my_bots(ask: Request) -> BotList:
    return BotList(submissions.bots_of(ask.site.db, ask.member.id))


def show_bot(ask: Request, id: int) -> BotView:
    return submissions.bot(ask.site.db, id, ask.reader)


def show_validation(ask: Request, id: int, version: int) -> ValidationView:
    return validations.validation(ask.site.db, id, version, ask.reader)


def show_versions(ask: Request, sha256: str) -> VersionList:
    return submissions.versions(ask.site.db, sha256, ask.reader)


def show_program(ask: Request, sha256: str) -> Response:
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Content-Disposition": f'attachment; filename="{sha256[:12]}.lisp"',
    }
    return Response(submissions.program(ask.site.db, sha256), TEXT, 200, headers)


def bot_history(ask: Request, id: int, division: str, after: str | None, limit: int) -> HistoryPage:
    return submissions.history(ask.site.db, id, after, limit, division)


def list_matches(
    ask: Request, game: str | None, bot: int | None, after: str | None, limit: int
) -> MatchPage:
    return listing.page(ask.site.db, game=game, bot_id=bot, after=after, limit=limit)


def show_match(ask: Request, id: int) -> MatchView:
    return listing.get(ask.site.db, id)


def match_logs(ask: Request, id: int) -> MatchLogs:
    return listing.logs(ask.site.db, id, ask.member)


def match_replay(ask: Request, id: int) -> Response:
    """The stored bytes as they are when the client takes gzip; finished matches never change."""
    # One that is damaged is refused here: nobody is to keep it for a year.
    packed, _ = listing.checked_replay(ask.site.db, ask.site.replays, id)
    as_gzip = accepts_gzip(ask.headers.get("Accept-Encoding", ""))
    # Two encodings are two representations: each needs a strong tag of its own.
    etag = f'"{hashlib.sha256(packed).hexdigest()[:32]}{"-gzip" if as_gzip else ""}"'
    headers = {
        "ETag": etag,
        "Cache-Control": "public, max-age=31536000, immutable",
        "Vary": "Accept-Encoding",
        "Content-Disposition": f'attachment; filename="match-{id}.json"',
    }
    if names_etag(ask.headers.get("If-None-Match", ""), etag):
        return Response(b"", JSON, 304, headers)
    if not as_gzip:
        return Response(gzip.decompress(packed), JSON, 200, headers)
    return Response(packed, JSON, 200, {**headers, "Content-Encoding": "gzip"})


def list_evolution(ask: Request, game: str | None, after: str | None, limit: int) -> EvolutionPage:
    return evolution.page(ask.site.db, game=game, after=after, limit=limit)


def show_evolution(ask: Request, id: int) -> EvolutionView:
    return evolution.run(ask.site.db, id)
