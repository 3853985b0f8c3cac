"""The pages people read. Each gathers views from the use cases and hands them to a template."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from ladder import boards, matches, submissions
from ladder.errors import Forbidden, Gone, NotFound, Refusal
from ladder.runner.replay import BadReplay, ReplayMove, decode, frames
from ladder.values import MatchStatus, Role, VersionStatus
from ladder.views import BotRef, BotView, GameView, SeatLogView
from ladder.web.rendering import show
from ladder.web.site import Ask, Reply

LATEST_MATCHES = 8
MATCH_ROWS = 50
CHART_POINTS = 200


def game_titled(name: str) -> GameView:
    for game in boards.games().games:
        if game.name == name:
            return game
    raise NotFound(f"there is no game {name!r}")


def bot(ask: Ask, id: int, division: str) -> Reply:
    found = submissions.bot(ask.site.db, id, ask.reader)
    history = submissions.history(ask.site.db, id, None, CHART_POINTS, division)
    latest = matches.page(ask.site.db, game=None, bot_id=id, after=None, limit=LATEST_MATCHES)
    reader = ask.reader
    return show(
        ask,
        "bot.html",
        bot=found,
        game=game_titled(found.game),
        division=division,
        history=history.rows,
        rivals=_rivals(ask, found),
        latest=latest.rows,
        owned=reader is not None and (reader.id == found.owner_id or reader.role is Role.ADMIN),
        waiting=any(v.status is VersionStatus.VALIDATING for v in found.versions),
    )


def _rivals(ask: Ask, bot: BotView) -> list[BotRef]:
    """Bots of the reader's own that may challenge this one."""
    if ask.reader is None or bot.current_version is None or 2 not in game_titled(bot.game).seats:
        return []
    return [
        one
        for one in submissions.bots_of(ask.site.db, ask.reader.id)
        if one.game == bot.game and one.id != bot.id and one.status is VersionStatus.ACCEPTED
    ]


def match_list(ask: Ask, game: str | None, bot: int | None, after: str | None) -> Reply:
    games = boards.games().games
    page = matches.page(ask.site.db, game=game or None, bot_id=bot, after=after, limit=MATCH_ROWS)
    chosen = None if bot is None else submissions.bot(ask.site.db, bot, None)
    return show(ask, "matches.html", games=games, game=game, bot=chosen, page=page, after=after)


def match(ask: Ask, id: int, ply: int | None) -> Reply:
    found = matches.get(ask.site.db, id)
    return show(
        ask,
        "match.html",
        match=found,
        game=game_titled(found.game),
        course=_course(ask, id, ply) if found.status is MatchStatus.FINISHED else None,
        logs=_own_logs(ask, id),
    )


@dataclass(frozen=True, slots=True)
class Course:
    """What the match page shows of a replay: its moves, and the position after `at` of them."""

    moves: tuple[ReplayMove, ...]
    opening: int
    """How many of the moves were made for the bots."""
    at: int
    picture: str
    """An SVG element of the game's own making; empty when it cannot be drawn here."""
    viewer: str | None
    """Simulations: what plays the replay in the browser."""
    columns: tuple[dict[str, float], ...]
    """Simulations: what the score of each seat is made of."""


def _course(ask: Ask, match_id: int, ply: int | None) -> Course | None:
    try:
        document = decode(ask.site.replays.read(match_id))
    except Refusal:
        return None  # lost or damaged; the rest of the page is still worth showing
    last = len(document.moves)
    at = last if ply is None else min(ply, last)
    try:
        picture = next(islice(frames(document), at, None)).svg
    except BadReplay:  # a simulation, or made under other rules
        picture = ""
    return Course(
        moves=document.moves,
        opening=document.opening,
        at=at,
        picture=picture,
        viewer=document.viewer,
        columns=document.columns,
    )


def _own_logs(ask: Ask, match_id: int) -> list[SeatLogView]:
    if ask.reader is None:
        return []
    try:
        return matches.logs(ask.site.db, match_id, ask.reader).logs
    except (Forbidden, Gone):
        return []  # somebody else's match, or an old one


def me(ask: Ask) -> Reply:
    mine = submissions.bots_of(ask.site.db, ask.member.id)
    return show(ask, "me.html", bots=mine)
