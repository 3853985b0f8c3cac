"""Pages of tournaments and leagues."""

from __future__ import annotations

from ladder import leagues, tournaments
from ladder.web.pages import game_titled
from ladder.web.rendering import show
from ladder.web.site import Ask, Reply


def league_list(ask: Ask) -> Reply:
    return show(ask, "leagues.html", leagues=leagues.all_leagues(ask.site.db).leagues)


def league(ask: Ask, id: int) -> Reply:
    found = leagues.league(ask.site.db, id)
    return show(ask, "league.html", league=found, game=game_titled(found.game))


def tournament(ask: Ask, id: int) -> Reply:
    found = tournaments.tournament(ask.site.db, id)
    return show(
        ask,
        "tournament.html",
        tournament=found,
        game=game_titled(found.game),
        cells={
            (row.seeding, cell.opponent_seeding): cell
            for row in found.crosstable
            for cell in row.cells
        },
    )
