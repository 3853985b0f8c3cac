"""The page of a bot, with the forms of its owner."""

from __future__ import annotations

from ladder.boards import ladders
from ladder.errors import Conflict
from ladder.matches import listing
from ladder.reports import careers
from ladder.uploads import submissions
from ladder.values import Kind, Role, VersionStatus
from ladder.views import BotRef, BotView
from ladder.web import intake
from ladder.web.http.site import Request, Response, see_other
from ladder.web.pages.rendering import LATEST_MATCHES, show

CHART_POINTS = 200


def bot(request: Request, id: int, division: str) -> Response:
    return _show(request, id, division)


def _show(
    request: Request, id: int, division: str = "open", problem: Conflict | None = None
) -> Response:
    db = request.site.db
    found = submissions.bot(db, id, request.reader)
    history = submissions.history(db, id, None, CHART_POINTS, division)
    latest = listing.page(db, game=None, bot_id=id, after=None, limit=LATEST_MATCHES)
    reader = request.reader
    mine = reader is not None and reader.id == found.owner_id
    owned = mine or (reader is not None and reader.role is Role.ADMIN)
    return show(
        request,
        "bot.html",
        status=problem.status if problem else 200,
        problem=problem,
        bot=found,
        game=ladders.kept_game(found.game),
        division=division,
        history=history.rows,
        career=careers.career(db, id, division),
        rivals=_rivals(request, found),
        latest=latest.rows,
        mine=mine and found.kind is not Kind.HOUSE,
        owned=owned and found.kind is not Kind.HOUSE,
        drawer=careers.private_report(db, found) if owned else None,
        waiting=any(v.status is VersionStatus.VALIDATING for v in found.versions),
    )


def _rivals(request: Request, bot: BotView) -> list[BotRef]:
    """The reader's own bots that may challenge this one."""
    if (
        request.reader is None
        or bot.current_version is None
        or 2 not in ladders.kept_game(bot.game).seats
    ):
        return []
    return [
        one
        for one in submissions.bots_of(request.site.db, request.reader.id)
        if one.game == bot.game and one.id != bot.id and one.status is VersionStatus.ACCEPTED
    ]


def source(request: Request, id: int, version: int) -> Response:
    return intake.source(request, id, version)


def retire(request: Request, id: int, form: dict[str, str]) -> Response:
    try:
        careers.retire(request.site.db, id, request.member)
    except Conflict as problem:
        return _show(request, id, problem=problem)
    return see_other(f"/bots/{id}")
