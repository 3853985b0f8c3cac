"""The page of a bot, and what its owner does there."""

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
from ladder.web.pages.plain import LATEST_MATCHES
from ladder.web.pages.rendering import show

CHART_POINTS = 200


def bot(ask: Request, id: int, division: str) -> Response:
    return _show(ask, id, division)


def _show(
    ask: Request, id: int, division: str = "open", problem: Conflict | None = None
) -> Response:
    db = ask.site.db
    found = submissions.bot(db, id, ask.reader)
    history = submissions.history(db, id, None, CHART_POINTS, division)
    latest = listing.page(db, game=None, bot_id=id, after=None, limit=LATEST_MATCHES)
    reader = ask.reader
    owned = reader is not None and (reader.id == found.owner_id or reader.role is Role.ADMIN)
    return show(
        ask,
        "bot.html",
        status=problem.status if problem else 200,
        problem=problem,
        bot=found,
        game=ladders.kept_game(found.game),
        division=division,
        history=history.rows,
        career=careers.career(db, id, division),
        rivals=_rivals(ask, found),
        latest=latest.rows,
        owned=owned and found.kind is not Kind.HOUSE,
        drawer=careers.private_report(db, found) if owned else None,
        waiting=any(v.status is VersionStatus.VALIDATING for v in found.versions),
    )


def _rivals(ask: Request, bot: BotView) -> list[BotRef]:
    """Bots of the reader's own that may challenge this one."""
    if (
        ask.reader is None
        or bot.current_version is None
        or 2 not in ladders.kept_game(bot.game).seats
    ):
        return []
    return [
        one
        for one in submissions.bots_of(ask.site.db, ask.reader.id)
        if one.game == bot.game and one.id != bot.id and one.status is VersionStatus.ACCEPTED
    ]


def source(ask: Request, id: int, version: int) -> Response:
    return intake.source(ask, id, version)


def retire(ask: Request, id: int, form: dict[str, str]) -> Response:
    try:
        careers.retire(ask.site.db, id, ask.member)
    except Conflict as problem:
        return _show(ask, id, problem=problem)
    return see_other(f"/bots/{id}")
