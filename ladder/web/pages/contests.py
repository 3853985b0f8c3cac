"""Pages of tournaments, leagues and what admins look after, with their forms."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from ladder.admin import repairs
from ladder.boards import ladders
from ladder.contests import leagues, tournaments
from ladder.contests.formats import FORMATS, FormatOptions
from ladder.contests.tournaments import Selection
from ladder.errors import Forbidden, Refusal
from ladder.values import OPEN_DIVISION, Role
from ladder.views import TournamentView
from ladder.web import intake
from ladder.web.http.inputs import BadValue, whole_number
from ladder.web.http.site import Request, Response, see_other
from ladder.web.pages.rendering import show
from ladder.web.pictures import brackets

TABLE_ENTRIES = 40
"""Up to so many the crosstable shows points; beyond, a sign for every meeting."""

ROWS_SHOWN = 100
"""Lines of the standings and the crosstable on one page; links lead to the others."""

PAIRINGS_SHOWN = 600
"""Meetings of a round that are listed."""

TOURNAMENTS_SHOWN = 50

CREATE_FIELDS = (
    *("csrf", "game", "format", "top", "bots", "division", "name", "unrated"),
    *("legs", "rounds", "best_of", "third_place", "champion", "seats"),
)


def league_list(ask: Request) -> Response:
    return show(ask, "leagues.html", leagues=leagues.all_leagues(ask.site.db).leagues)


def league(ask: Request, id: int) -> Response:
    found = leagues.league(ask.site.db, id)
    return show(
        ask,
        "league.html",
        league=found,
        game=ladders.kept_game(found.game),
        about=FORMATS[found.format].about,
        admin=is_admin(ask),
    )


def run_league(ask: Request, id: int, form: dict[str, str]) -> Response:
    check_admin(ask)
    run = leagues.run_league(ask.site.db, id, actor=ask.member.name)
    return see_other(f"/tournaments/{run.id}")


def tournament_list(ask: Request, game: str | None, after: str | None) -> Response:
    page = tournaments.page(ask.site.db, game or None, after, TOURNAMENTS_SHOWN)
    return show(ask, "tournaments.html", page=page, after=after, game=game, admin=is_admin(ask))


def tournament(ask: Request, id: int, row: int, round: int) -> Response:
    first = row - 1 - (row - 1) % ROWS_SHOWN
    shown = slice(first, first + ROWS_SHOWN)
    found = tournaments.tournament(ask.site.db, id, shown, round)
    admin = is_admin(ask)
    small = len(found.entries) <= TABLE_ENTRIES
    return show(
        ask,
        "tournament.html",
        tournament=found,
        game=ladders.kept_game(found.game),
        about=FORMATS[found.format].about,
        names={entry.seeding: entry for entry in found.entries},
        bracket=brackets.draw(found),
        boxes=brackets,
        first=first,
        shown=shown,
        step=ROWS_SHOWN,
        one=next((one for one in reversed(found.rounds) if round in (0, one.number)), None),
        most=PAIRINGS_SHOWN,
        cells=_crosstable(found) if small else None,
        admin=admin,
        actions=tournaments.audit_log(ask.site.db, id).actions if admin else [],
    )


def _crosstable(view: TournamentView) -> list[list[tuple[str, str]]]:
    """The look and the text of every cell, in the order of the standings."""
    place = {row.seeding: i for i, row in enumerate(view.standings)}
    table = [[("faint", "·")] * len(place) for _ in place]
    for row in view.crosstable:
        line = table[place[row.seeding]]
        line[place[row.seeding]] = ("self", "")
        for cell in row.cells:
            if cell.played:
                twice = 2 * cell.points
                look = "won" if twice > cell.played else "lost" if twice < cell.played else ""
                line[place[cell.opponent_seeding]] = (look, f"{cell.points:g}")
    return table


def act_on_tournament(ask: Request, id: int, form: dict[str, str]) -> Response:
    """Pause, resume, cancel, play a round again, or let a bot leave."""
    check_admin(ask)
    db, actor = ask.site.db, ask.member.name
    acts: dict[str, Callable[[], object]] = {
        "pause": lambda: tournaments.pause(db, id, actor),
        "resume": lambda: tournaments.resume(db, id, actor),
        "cancel": lambda: tournaments.cancel(db, id, actor),
        "requeue": lambda: tournaments.requeue_round(db, id, _number(form, "round"), actor),
        "withdraw": lambda: tournaments.withdraw(db, id, _number(form, "bot"), actor),
    }
    if form["action"] not in acts:
        raise Refusal(f"unknown action {form['action'][:40]!r}")
    acts[form["action"]]()
    return see_other(f"/tournaments/{id}")


def new_tournament(ask: Request) -> Response:
    check_admin(ask)
    return _tournament_form(ask, dict.fromkeys(CREATE_FIELDS, ""))


def create_tournament(ask: Request, form: dict[str, str]) -> Response:
    """Create what the form says and lead to its page, or show it again with what was wrong."""
    check_admin(ask)
    try:
        chosen = [_whole(text, "bots") for text in form["bots"].replace(",", " ").split()]
        given = {
            name: _number(form, name)
            for name in ("legs", "rounds", "best_of", "champion", "seats")
            if form[name]
        }
        run = tournaments.create(
            ask.site.db,
            tournaments.NewTournament(
                form["game"],
                form["format"],
                Selection(
                    chosen or None,
                    _number(form, "top") if form["top"] else None,
                    form["division"] or OPEN_DIVISION,
                ),
                _options(given, bool(form["third_place"])),
                name=form["name"],
                rated=not form["unrated"],
            ),
            actor=ask.member.name,
        )
    except Refusal as error:
        return _tournament_form(ask, form, error)
    return see_other(f"/tournaments/{run.id}")


def _options(given: dict[str, int], third_place: bool) -> FormatOptions:
    try:
        return msgspec.convert(
            given | ({"third_place": True} if third_place else {}), FormatOptions
        )
    except msgspec.ValidationError as error:
        raise Refusal(str(error)) from error


def _tournament_form(ask: Request, form: dict[str, str], error: Refusal | None = None) -> Response:
    games = ladders.games().games
    return show(
        ask,
        "new-tournament.html",
        error.status if error else 200,
        games=games,
        formats=FORMATS.values(),
        divisions=list(dict.fromkeys(name for game in games for name in game.divisions)),
        form=form,
        error=error,
    )


def challenge(ask: Request, form: dict[str, str]) -> Response:
    """The button on the page of a bot: one of mine against it, once from each side."""
    bots = [_number(form, "bot"), _number(form, "opponent")]
    made = intake.challenge(ask, form["game"], bots, games=2)
    return see_other(f"/matches/{made.id}")


def troubles(ask: Request) -> Response:
    check_admin(ask)
    db = ask.site.db
    return show(
        ask,
        "troubles.html",
        troubles=repairs.troubles(db),
        actions=repairs.latest_actions(db).actions,
    )


def act_on_trouble(ask: Request, form: dict[str, str]) -> Response:
    check_admin(ask)
    db, actor = ask.site.db, ask.member.name
    if form["action"] == "requeue":
        repairs.requeue(db, _number(form, "match"), actor)
    elif form["action"] == "drop":
        repairs.drop(db, _number(form, "match"), actor)
    elif form["action"] == "lift":
        repairs.lift(db, form["worker"], actor)
    else:
        raise Refusal(f"unknown action {form['action'][:40]!r}")
    return see_other("/troubles")


def is_admin(ask: Request) -> bool:
    return ask.reader is not None and ask.reader.role is Role.ADMIN


def check_admin(ask: Request) -> None:
    if not is_admin(ask):
        raise Forbidden("only an admin may do this")


def _number(form: dict[str, str], name: str) -> int:
    return _whole(form[name], name)


def _whole(text: str, name: str) -> int:
    try:
        return whole_number(1, 2**53)(text.strip())
    except BadValue as error:
        raise Refusal(f"{name} {error}, not {text[:40]!r}") from error
