"""Pages of tournaments, leagues and failed matches, with their forms."""

from __future__ import annotations

from collections.abc import Callable

from ladder.admin import repairs
from ladder.boards import ladders
from ladder.contests import leagues, tournaments
from ladder.contests.formats import FORMATS, FormatOptions, read_options
from ladder.contests.tournaments import Selection
from ladder.errors import Forbidden, Refusal
from ladder.values import OPEN_DIVISION, Role
from ladder.views import TournamentView
from ladder.web import intake
from ladder.web.http.site import Request, Response, see_other
from ladder.web.pages.forms import carry_out, number_field, read_number
from ladder.web.pages.rendering import show
from ladder.web.pictures import brackets

TABLE_ENTRIES = 40
"""Most entries of a crosstable that shows points; larger ones show a sign for each meeting."""

ROWS_SHOWN = 100
"""Rows of the standings and the crosstable on one page; links lead to the others."""

PAIRINGS_SHOWN = 600
"""Most pairings of a round that a page lists."""

TOURNAMENTS_SHOWN = 50

CREATE_FIELDS = (
    "csrf",
    "game",
    "format",
    "top",
    "bots",
    "division",
    "name",
    "unrated",
    "legs",
    "rounds",
    "best_of",
    "third_place",
    "champion",
    "seats",
)


def league_list(request: Request) -> Response:
    return show(request, "leagues.html", leagues=leagues.all_leagues(request.site.db).leagues)


def league(request: Request, id: int) -> Response:
    found = leagues.league(request.site.db, id)
    return show(
        request,
        "league.html",
        league=found,
        game=ladders.kept_game(found.game),
        about=FORMATS[found.format].about,
        admin=is_admin(request),
    )


def run_league(request: Request, id: int, form: dict[str, str]) -> Response:
    check_admin(request)
    run = leagues.run_league(request.site.db, id, actor=request.member.name)
    return see_other(f"/tournaments/{run.id}")


def tournament_list(request: Request, game: str | None, after: str | None) -> Response:
    page = tournaments.page(request.site.db, game or None, after, TOURNAMENTS_SHOWN)
    return show(
        request, "tournaments.html", page=page, after=after, game=game, admin=is_admin(request)
    )


def tournament(request: Request, id: int, row: int, round: int) -> Response:
    first = row - 1 - (row - 1) % ROWS_SHOWN
    shown = slice(first, first + ROWS_SHOWN)
    found = tournaments.tournament(request.site.db, id, shown, round)
    admin = is_admin(request)
    small = len(found.entries) <= TABLE_ENTRIES
    return show(
        request,
        "tournament.html",
        tournament=found,
        game=ladders.kept_game(found.game),
        about=FORMATS[found.format].about,
        adaptive=[one.name for one in FORMATS.values() if one.adaptive],
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
        actions=tournaments.audit_log(request.site.db, id).actions if admin else [],
    )


def _crosstable(view: TournamentView) -> list[list[tuple[str, str]]]:
    """The CSS class and the text of every cell, in the order of the standings."""
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


def act_on_tournament(request: Request, id: int, form: dict[str, str]) -> Response:
    """Pause, resume, cancel, play a round again, or withdraw a bot."""
    check_admin(request)
    db, actor = request.site.db, request.member.name
    actions: dict[str, Callable[[], object]] = {
        "pause": lambda: tournaments.pause(db, id, actor),
        "resume": lambda: tournaments.resume(db, id, actor),
        "cancel": lambda: tournaments.cancel(db, id, actor),
        "requeue": lambda: tournaments.requeue_round(db, id, number_field(form, "round"), actor),
        "withdraw": lambda: tournaments.withdraw(db, id, number_field(form, "bot"), actor),
    }
    carry_out(actions, form["action"])
    return see_other(f"/tournaments/{id}")


def new_tournament(request: Request) -> Response:
    check_admin(request)
    return _tournament_form(request, dict.fromkeys(CREATE_FIELDS, ""))


def create_tournament(request: Request, form: dict[str, str]) -> Response:
    """Create a tournament and lead to its page, or show the form again with the refusal."""
    check_admin(request)
    try:
        chosen = [read_number(text, "bots") for text in form["bots"].replace(",", " ").split()]
        given = {
            name: number_field(form, name)
            for name in ("legs", "rounds", "best_of", "champion", "seats")
            if form[name]
        }
        run = tournaments.create(
            request.site.db,
            tournaments.NewTournament(
                form["game"],
                form["format"],
                Selection(
                    chosen or None,
                    number_field(form, "top") if form["top"] else None,
                    form["division"] or OPEN_DIVISION,
                ),
                _options(given, bool(form["third_place"])),
                name=form["name"],
                rated=not form["unrated"],
            ),
            actor=request.member.name,
        )
    except Refusal as error:
        return _tournament_form(request, form, error)
    return see_other(f"/tournaments/{run.id}")


def _options(given: dict[str, int], third_place: bool) -> FormatOptions:
    return read_options(given | ({"third_place": True} if third_place else {}))


def _tournament_form(
    request: Request, form: dict[str, str], error: Refusal | None = None
) -> Response:
    games = ladders.games().games
    return show(
        request,
        "new-tournament.html",
        error.status if error else 200,
        games=games,
        formats=FORMATS.values(),
        divisions=list(dict.fromkeys(name for game in games for name in game.divisions)),
        form=form,
        error=error,
    )


def challenge(request: Request, form: dict[str, str]) -> Response:
    """Two matches between a bot of the reader and another one, with the seats swapped."""
    bots = [number_field(form, "bot"), number_field(form, "opponent")]
    made = intake.challenge(request, form["game"], bots, games=2)
    return see_other(f"/matches/{made.id}")


def troubles(request: Request) -> Response:
    check_admin(request)
    db = request.site.db
    return show(
        request,
        "troubles.html",
        troubles=repairs.troubles(db),
        actions=repairs.latest_actions(db).actions,
    )


def act_on_trouble(request: Request, form: dict[str, str]) -> Response:
    check_admin(request)
    db, actor = request.site.db, request.member.name
    actions: dict[str, Callable[[], object]] = {
        "requeue": lambda: repairs.requeue(db, number_field(form, "match"), actor),
        "drop": lambda: repairs.drop(db, number_field(form, "match"), actor),
        "lift": lambda: repairs.lift(db, form["worker"], actor),
    }
    carry_out(actions, form["action"])
    return see_other("/troubles")


def is_admin(request: Request) -> bool:
    return request.reader is not None and request.reader.role is Role.ADMIN


def check_admin(request: Request) -> None:
    if not is_admin(request):
        raise Forbidden("only admins may do this; ask an admin of this server")
