"""The pages of matches: the list, one match with its replay, and the replay alone to embed."""

from __future__ import annotations

from dataclasses import replace

from ladder.boards import ladders
from ladder.errors import DamagedReplay, Forbidden, Gone, NotFound
from ladder.matches import listing
from ladder.uploads import submissions
from ladder.values import MatchStatus
from ladder.views import MatchView, SeatLogView
from ladder.web.http.endpoint import page_policy
from ladder.web.http.site import Request, Response
from ladder.web.pages.rendering import show
from ladder.web.pictures.replays import Moment, ShownReplay, show_replay

MATCH_ROWS = 50

EMBED_HEADERS = {
    # Other sites may frame this page: it has no forms and shows nothing about its reader.
    "Content-Security-Policy": page_policy(framed_by="*"),
    "Cross-Origin-Resource-Policy": "cross-origin",
}


def match_list(request: Request, game: str | None, bot: int | None, after: str | None) -> Response:
    games = ladders.games().games
    page = listing.page(
        request.site.db, game=game or None, bot_id=bot, after=after, limit=MATCH_ROWS
    )
    chosen = None if bot is None else submissions.bot(request.site.db, bot, None)
    return show(request, "matches.html", games=games, game=game, bot=chosen, page=page, after=after)


def match(request: Request, id: int, **place: int | None) -> Response:
    found = listing.get(request.site.db, id)
    return show(
        request,
        "match.html",
        match=found,
        game=ladders.kept_game(found.game),
        shown=_shown_replay(request, found, Moment(**place)),
        logs=_own_logs(request, id),
    )


def embed(request: Request, id: int, **place: int | None) -> Response:
    """The replay alone, for frames on other sites."""
    found = listing.get(request.site.db, id)
    response = show(
        replace(request, reader=None),
        "embed.html",
        match=found,
        game=ladders.kept_game(found.game),
        shown=_shown_replay(request, found, Moment(**place)),
    )
    return replace(response, headers=EMBED_HEADERS)


def _shown_replay(request: Request, match: MatchView, place: Moment) -> ShownReplay | None:
    """None when the replay is lost or damaged; the rest of the page still helps its reader."""
    if match.status is not MatchStatus.FINISHED:
        return None
    try:
        _, document = listing.checked_replay(request.site.db, request.site.replays, match.id)
    except (NotFound, DamagedReplay):
        return None
    return show_replay(document, place)


def _own_logs(request: Request, match_id: int) -> list[SeatLogView]:
    if request.reader is None:
        return []
    try:
        return listing.logs(request.site.db, match_id, request.reader).logs
    except (Forbidden, Gone):
        return []  # a match of others, or one whose logs are deleted
