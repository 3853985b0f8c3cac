"""The form of a new tournament: first its game and format, then the fields that these have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from engines.games import UnknownGame
from ladder.boards import ladders
from ladder.contests import tournaments
from ladder.contests.formats import FORMATS, FormatOptions, read_options
from ladder.contests.formats.meetings import MOST_ENTRIES
from ladder.contests.tournaments import NewTournament, Selection, check_format
from ladder.errors import NotFound, Refusal
from ladder.store.database import now
from ladder.values import OPEN_DIVISION
from ladder.web.http.site import Request, Response, see_other
from ladder.web.pages.contests import check_admin
from ladder.web.pages.forms import number_field
from ladder.web.pages.rendering import minute, show

FIELDS = (
    "csrf",
    "game",
    "format",
    "name",
    "top",
    "division",
    "no_house",
    "one_per_owner",
    "bots",
    "starts_at",
    "unrated",
    "legs",
    "rounds",
    "best_of",
    "third_place",
    "champion",
    "seats",
)
NUMBERS = ("legs", "rounds", "best_of", "seats")

NAMES_OFFERED = 200
"""Bots whose names the form completes, the best first; every other name can be written as well."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A field of an option: its label, and what an empty field means."""

    label: str
    help: str


HINTS = {
    "legs": Hint("Games of a meeting", "Two if empty: the same seed from both sides."),
    "rounds": Hint("Rounds", "As many as single out a bot that wins them all, and one more."),
    "best_of": Hint("Best of", "The most games of a meeting; three if empty."),
    "seats": Hint("Seats of a table", "As many as the game has if empty."),
}
AT_TABLES = {
    "legs": Hint("Games of a table", "One if empty."),
    "rounds": Hint("Rounds", "Five if empty."),
}
"""Other hints for formats whose matches have many seats."""


def new_tournament(request: Request, game: str, format: str) -> Response:
    check_admin(request)
    return _page(request, dict.fromkeys(FIELDS, "") | {"game": game, "format": format})


def create_tournament(request: Request, form: dict[str, str]) -> Response:
    """Create a tournament and lead to its page, or show the form again with the refusal."""
    check_admin(request)
    try:
        wanted = _read(form)
        run = tournaments.create(request.site.db, wanted, actor=request.member.name)
    except UnknownGame as unknown:
        return _page(request, form, NotFound(str(unknown)))
    except Refusal as error:
        return _page(request, form, error)
    return see_other(f"/tournaments/{run.id}")


def _read(form: dict[str, str]) -> NewTournament:
    bots = _read_bots(form["bots"])
    top = number_field(form, "top") if form["top"] else None
    if bots and (top or form["no_house"] or form["one_per_owner"]):
        raise Refusal("choose either the best bots or bots by name, and leave the other empty")
    given: dict[str, object] = {name: number_field(form, name) for name in NUMBERS if form[name]}
    if form["third_place"]:
        given["third_place"] = True
    champions = _read_bots(form["champion"])
    if len(champions) > 1:
        raise Refusal("a tournament has one champion; write the name of one bot")
    if champions:
        given["champion"] = champions[0]
    return NewTournament(
        form["game"],
        form["format"],
        Selection(
            bots or None,
            top,
            form["division"] or OPEN_DIVISION,
            1 if form["one_per_owner"] else None,
            not form["no_house"],
        ),
        read_options(given),
        name=form["name"],
        rated=not form["unrated"],
        starts_at=_read_start(form["starts_at"]) if form["starts_at"] else None,
    )


def _read_bots(text: str) -> list[int | str]:
    """Names that are separated by commas or lines; only numbers may also have spaces between."""
    found: list[int | str] = []
    for part in re.split(r"[,\n]", text):
        name = part.strip()
        if re.fullmatch(r"[0-9]+(\s+[0-9]+)*", name):
            found += [number_field({"bots": one}, "bots") for one in name.split()]
        elif name:
            found.append(name)
    return found


def _read_start(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        raise Refusal(
            f"{text[:40]} is no time; write the start as 2026-12-24T18:00, in UTC"
        ) from None
    time = time if time.tzinfo else time.replace(tzinfo=UTC)
    if time < now():
        raise Refusal(f"the start is over already: it is {minute(now())}; choose a later time")
    return time


def _page(request: Request, form: dict[str, str], error: Refusal | None = None) -> Response:
    games = {game.name: game for game in ladders.games().games}
    form = dict(form)
    try:
        if form["format"]:
            check_format(form["game"], form["format"], FormatOptions())
    except UnknownGame as unknown:
        error, form["format"] = NotFound(str(unknown)), ""
    except Refusal as unfit:
        # Another game or format has to be chosen before anything else counts.
        error, form["format"] = unfit, ""
    chosen = FORMATS.get(form["format"])
    game = games[form["game"]] if chosen else None
    return show(
        request,
        "new-tournament.html",
        error.status if error else 200,
        games=games.values(),
        formats=FORMATS.values(),
        chosen=chosen,
        game=game,
        numbers=_numbers(form["format"]),
        offered=_names(request, form["game"]) if chosen else [],
        most=MOST_ENTRIES,
        form=form,
        error=error,
    )


def _numbers(format: str) -> list[tuple[str, Hint]]:
    """The options of a format that are numbers, with their hints."""
    if format not in FORMATS:
        return []
    form = FORMATS[format]
    hints = HINTS | AT_TABLES if form.many_seats else HINTS
    return [(name, hints[name]) for name in form.options if name in hints]


def _names(request: Request, game: str) -> list[tuple[str, str]]:
    """Names of the best bots for completion, each with its owner."""
    rows = ladders.page(request.site.db, game, OPEN_DIVISION, None, NAMES_OFFERED).rows
    names = [row.bot for row in rows]
    return [
        (row.bot if names.count(row.bot) == 1 else f"{row.owner}/{row.bot}", row.owner)
        for row in rows
    ]
