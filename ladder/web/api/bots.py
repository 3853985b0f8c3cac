"""Operations of the API: careers, head to head and the matrix, and the bots of a member."""

from __future__ import annotations

from ladder.reports import careers, rivalries
from ladder.uploads import submissions
from ladder.views import BotView, Career, HeadToHead, Matrix
from ladder.web import intake
from ladder.web.http.site import Request, Response


def career(request: Request, id: int, division: str) -> Career:
    return careers.career(request.site.db, id, division)


def against(request: Request, id: int, other: int, after: str | None, limit: int) -> HeadToHead:
    return rivalries.head_to_head(request.site.db, id, other, after, limit)


def matrix(request: Request, game: str, division: str, top: int) -> Matrix:
    return rivalries.matrix(request.site.db, game, division, top)


def version_source(request: Request, id: int, version: int) -> Response:
    return intake.source(request, id, version)


def retire(request: Request, id: int) -> BotView:
    careers.retire(request.site.db, id, request.member)
    return submissions.bot(request.site.db, id, request.member)
