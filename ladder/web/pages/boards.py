"""The front page and the leaderboards."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

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


def home(request: Request) -> Response:
    db = request.site.db
    games = ladders.games().games
    tops = {
        game.name: ladders.page(db, game.name, OPEN_DIVISION, None, TOP_ROWS).rows for game in games
    }
    latest = listing.page(db, game=None, bot_id=None, after=None, limit=TICKER_ROWS)
    return show(
        request,
        "home.html",
        games=games,
        notes=request.site.notes(),
        tops=tops,
        latest=latest.rows,
        ticker_rows=TICKER_ROWS,
        next_leagues=leagues.next_runs(db),
        champions=leagues.latest_champions(db, CHAMPIONS),
    )


@dataclass(frozen=True, slots=True)
class BoardQuery:
    """The query of a leaderboard page."""

    division: str
    after: str | None
    """The `next` of the page before."""
    kind: str
    """Kind of bots; empty for all."""
    search: str
    """A part of the name of a bot or an owner."""
    on: str
    """A day of the past, or empty for now."""
    place: int
    """The first place on the page, for a day of the past."""


def leaderboard(request: Request, game: str, **values: Any) -> Response:
    found = ladders.game(game)
    query = BoardQuery(**values)
    page = _page(request, game, query)
    return show(
        request,
        "leaderboard.html",
        game=found,
        note=request.site.notes().get(game, ""),
        page=page,
        rows=[line.row for line in page.lines],
        counted=ladders.column_names([line.row for line in page.lines]),
        paged=query.after is not None or query.place > 1,
        kinds=list(Kind),
        kind=query.kind,
        search=query.search,
        on=query.on,
    )


def _page(request: Request, game: str, query: BoardQuery) -> leaderboards.Leaderboard:
    db, division = request.site.db, query.division
    if query.on:
        day = _read_day(query.on)
        return leaderboards.on_day(db, game, division, day, query.place, BOARD_ROWS)
    kind = Kind(query.kind) if query.kind else None
    return leaderboards.page(
        db, game, division, query.after, BOARD_ROWS, BoardFilter(kind, query.search)
    )


def _read_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise Refusal(f"{text} is not a day; write a day as YYYY-MM-DD") from None
