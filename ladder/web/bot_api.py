"""Operations of the API about bots against each other, and on one's own bots."""

from __future__ import annotations

from ladder import careers, rivalries, submissions
from ladder.views import BotView, Career, HeadToHead, Matrix
from ladder.web.site import BYTES, Ask, Reply


def career(ask: Ask, id: int, division: str) -> Career:
    return careers.career(ask.site.db, id, division)


def against(ask: Ask, id: int, other: int, after: str | None, limit: int) -> HeadToHead:
    return rivalries.head_to_head(ask.site.db, id, other, after, limit)


def matrix(ask: Ask, game: str, division: str, top: int) -> Matrix:
    return rivalries.matrix(ask.site.db, game, division, top)


def version_source(ask: Ask, id: int, version: int) -> Reply:
    data, extension = careers.source(ask.site.db, id, version, ask.member)
    headers = {
        "Cache-Control": "private, no-store",
        "Content-Disposition": f'attachment; filename="bot-{id}-v{version}.{extension}"',
        "Vary": "Cookie",
    }
    return Reply(data, BYTES, 200, headers)


def retire(ask: Ask, id: int) -> BotView:
    careers.retire(ask.site.db, id, ask.member)
    return submissions.bot(ask.site.db, id, ask.member)
