"""Operations of the API: accounts, games, uploads, matches and evolution.

Each calls one use case and returns its view.
"""

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
from ladder.web.http.encodings import conditional
from ladder.web.http.inputs import ANY_TEXT, NAME_SCHEMA
from ladder.web.http.site import JSON, TEXT, Download, Request, Response

VERSION = importlib.metadata.version("evoladder")


class AccountBody(msgspec.Struct, forbid_unknown_fields=True):
    # The pattern is only for readers of the document: Python's own `re` does not know \p.
    name: Annotated[str, msgspec.Meta(extra_json_schema=NAME_SCHEMA)]
    invite: Annotated[str, msgspec.Meta(max_length=200, pattern=ANY_TEXT)] | None = None


class BotList(msgspec.Struct):
    bots: list[BotRef]


def openapi(request: Request) -> Response:
    return Response(request.site.openapi, JSON)


def health(request: Request) -> Health:
    request.site.db.check_writable()
    counts = listing.counts(request.site.db)
    return Health(
        status="ok",
        version=VERSION,
        queue=counts.get(MatchStatus.QUEUED, 0),
        running=counts.get(MatchStatus.LEASED, 0),
        sandbox=str(request.site.status().get("sandbox", "none")),
        not_played=dict(request.site.notes()),
        left_out=[one.plugin for one in LEFT_OUT],
    )


def show_metrics(request: Request) -> Response:
    site = request.site
    text = metrics.prometheus(
        site.request_counts,
        listing.counts(site.db),
        site.status(),
        listing.queues(site.db),
        repairs.last_backup(site.db),
        site.meters,
    )
    return Response(text.encode(), metrics.MEDIA)


def create_account(request: Request, body: AccountBody) -> NewAccount:
    return intake.register(request, body.name, body.invite)


def who_am_i(request: Request) -> AccountView:
    return request.member


def replace_token(request: Request) -> NewAccount:
    return accounts.replace_tokens(request.site.db, request.member)


def list_games(request: Request) -> GameList:
    return ladders.games()


def leaderboard(
    request: Request, game: str, division: str, after: str | None, limit: int
) -> BoardPage:
    return ladders.page(request.site.db, game, division, after, limit)


def ratings_csv(request: Request, game: str, division: str) -> Download:
    name = f"{game}-ratings.csv" if division == OPEN_DIVISION else f"{game}-{division}-ratings.csv"
    return Download(name, ladders.ratings_csv(request.site.db, game, division))


def results_csv(request: Request, game: str) -> Download:
    return Download(f"{game}-results.csv", ladders.results_csv(request.site.db, game))


def submit_bot(request: Request, body: UploadForm) -> Response:
    with intake.metered(request):
        submission = intake.enter(request, Upload(body.game, body.name, body.file, body.lineage))
    headers = {"Location": f"/api/v1/bots/{submission.id}", "Cache-Control": "private, no-store"}
    return Response(msgspec.json.encode(submission), JSON, 202, headers)


def my_bots(request: Request) -> BotList:
    return BotList(submissions.bots_of(request.site.db, request.member.id))


def show_bot(request: Request, id: int) -> BotView:
    return submissions.bot(request.site.db, id, request.reader)


def show_validation(request: Request, id: int, version: int) -> ValidationView:
    return validations.validation(request.site.db, id, version, request.reader)


def show_versions(request: Request, sha256: str) -> VersionList:
    return submissions.versions(request.site.db, sha256, request.reader)


def show_program(request: Request, sha256: str) -> Response:
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Content-Disposition": f'attachment; filename="{sha256[:12]}.lisp"',
    }
    return Response(submissions.program(request.site.db, sha256), TEXT, 200, headers)


def bot_history(
    request: Request, id: int, division: str, after: str | None, limit: int
) -> HistoryPage:
    return submissions.history(request.site.db, id, after, limit, division)


def list_matches(
    request: Request, game: str | None, bot: int | None, after: str | None, limit: int
) -> MatchPage:
    return listing.page(request.site.db, game=game, bot_id=bot, after=after, limit=limit)


def show_match(request: Request, id: int) -> MatchView:
    return listing.get(request.site.db, id)


def match_logs(request: Request, id: int) -> MatchLogs:
    return listing.logs(request.site.db, id, request.member)


def match_replay(request: Request, id: int) -> Response:
    """The stored file, which is compressed already. The replay of a match never changes."""
    # A damaged replay must not be kept for a year, so check it first.
    packed, _ = listing.checked_replay(request.site.db, request.site.replays, id)
    version = hashlib.sha256(packed).hexdigest()[:32]
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Content-Disposition": f'attachment; filename="match-{id}.json"',
    }

    def body(as_gzip: bool) -> bytes:
        return packed if as_gzip else gzip.decompress(packed)

    return conditional(request.headers, version, body, JSON, headers)


def list_evolution(
    request: Request, game: str | None, after: str | None, limit: int
) -> EvolutionPage:
    return evolution.page(request.site.db, game=game, after=after, limit=limit)


def show_evolution(request: Request, id: int) -> EvolutionView:
    return evolution.run(request.site.db, id)
