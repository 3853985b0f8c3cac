"""Bots against each other: two of them head to head, and the table of a game's best."""

from __future__ import annotations

from ladder import rivalries
from ladder.web.pages import game_titled
from ladder.web.rendering import show
from ladder.web.site import Ask, Reply

MATCH_ROWS = 30
TABLE_SIZES = (10, 20, 50)


def against(ask: Ask, id: int, other: int, after: str | None) -> Reply:
    found = rivalries.head_to_head(ask.site.db, id, other, after, MATCH_ROWS)
    return show(ask, "against.html", rivalry=found, game=game_titled(found.game), after=after)


def matrix(ask: Ask, game: str, division: str, top: int) -> Reply:
    found = game_titled(game)
    table = rivalries.matrix(ask.site.db, game, division, top)
    return show(ask, "matrix.html", game=found, table=table, top=top, sizes=TABLE_SIZES)
