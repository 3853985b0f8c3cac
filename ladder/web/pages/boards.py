"""The front page and the leaderboards."""

from __future__ import annotations

from datetime import date

from ladder.boards import ladders, leaderboards
from ladder.contests import leagues
from ladder.errors import Refusal
from ladder.matches import listing
from ladder.values import OPEN_DIVISION, BoardFilter, Kind
from ladder.web.http.site import Request, Response
from ladder.web.pages.rendering import show

TOP_ROWS = 3
TICKER_ROWS = 10
CHAMPIONS = 6
BOARD_ROWS = 100


def home(ask: Request) -> Response:
    db = ask.site.db
    games = ladders.games().games
    tops = {
        game.name: ladders.page(db, game.name, OPEN_DIVISION, None, TOP_ROWS).rows for game in games
    }
    latest = listing.page(db, game=None, bot_id=None, after=None, limit=TICKER_ROWS)
    return show(
        ask,
        "home.html",
        games=games,
        notes=ask.site.notes(),
        tops=tops,
        latest=latest.rows,
        ticker_rows=TICKER_ROWS,
        next_leagues=leagues.next_runs(db),
        champions=leagues.latest_champions(db, CHAMPIONS),
    )


def leaderboard(
    ask: Request,
    game: str,
    division: str,
    after: str | None,
    kind: str,
    search: str,
    on: str,
    place: int,
) -> Response:
    found = ladders.game(game)
    db = ask.site.db
    if on:
        page = leaderboards.on_day(db, game, division, _read_day(on), place, BOARD_ROWS)
    else:
        chosen = Kind(kind) if kind else None
        page = leaderboards.page(db, game, division, after, BOARD_ROWS, BoardFilter(chosen, search))
    return show(
        ask,
        "leaderboard.html",
        game=found,
        note=ask.site.notes().get(game, ""),
        page=page,
        rows=[line.row for line in page.lines],
        counted=ladders.column_names([line.row for line in page.lines]),
        paged=after is not None or place > 1,
        kinds=list(Kind),
        kind=kind,
        search=search,
        on=on,
    )


def _read_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Refusal(f"there is no day {text}") from None
