"""Operations of the API about bots against each other, and on one's own bots."""

from __future__ import annotations

from ladder.reports import careers, rivalries
from ladder.uploads import submissions
from ladder.views import BotView, Career, HeadToHead, Matrix
from ladder.web import intake
from ladder.web.http.site import Request, Response


def career(ask: Request, id: int, division: str) -> Career:
    return careers.career(ask.site.db, id, division)


def against(ask: Request, id: int, other: int, after: str | None, limit: int) -> HeadToHead:
    return rivalries.head_to_head(ask.site.db, id, other, after, limit)


def matrix(ask: Request, game: str, division: str, top: int) -> Matrix:
    return rivalries.matrix(ask.site.db, game, division, top)


def version_source(ask: Request, id: int, version: int) -> Response:
    return intake.source(ask, id, version)


def retire(ask: Request, id: int) -> BotView:
    careers.retire(ask.site.db, id, ask.member)
    return submissions.bot(ask.site.db, id, ask.member)
