"""The pages people read. Each gathers views from the use cases and hands them to a template."""

from __future__ import annotations

from ladder import boards, matches, submissions
from ladder.errors import NotFound
from ladder.values import OPEN_DIVISION
from ladder.views import GameView
from ladder.web.rendering import show
from ladder.web.site import Ask, Reply

TOP_ROWS = 3
LATEST_MATCHES = 8
BOARD_ROWS = 100


def home(ask: Ask) -> Reply:
    games = boards.games().games
    tops = {
        game.name: boards.page(ask.site.db, game.name, OPEN_DIVISION, None, TOP_ROWS).rows
        for game in games
    }
    latest = matches.page(ask.site.db, game=None, bot_id=None, after=None, limit=LATEST_MATCHES)
    return show(ask, "home.html", games=games, tops=tops, latest=latest.rows)


def game_titled(name: str) -> GameView:
    for game in boards.games().games:
        if game.name == name:
            return game
    raise NotFound(f"there is no game {name!r}")


def leaderboard(ask: Ask, game: str, division: str, after: str | None) -> Reply:
    found = game_titled(game)
    page = boards.page(ask.site.db, game, division, after, BOARD_ROWS)
    return show(
        ask,
        "leaderboard.html",
        game=found,
        page=page,
        counted=boards.column_names(page.rows),
        paged=after is not None,
    )


def me(ask: Ask) -> Reply:
    mine = submissions.bots_of(ask.site.db, ask.member.id)
    return show(ask, "me.html", bots=mine)
