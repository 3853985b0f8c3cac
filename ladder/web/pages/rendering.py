"""The Jinja environment with its filters: it escapes values and refuses undefined names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import jinja2

from ladder.boards import ladders
from ladder.contests.schedule_words import schedule_words
from ladder.people import names
from ladder.settings import Settings
from ladder.values import full_name
from ladder.views import MatchView, SeatView, TournamentRef, TournamentView
from ladder.web.http import auth
from ladder.web.http.site import Request, Response
from ladder.web.pictures import charts, curves

LATEST_MATCHES = 8
"""Latest matches on the page of a bot or a run, which links to the full list."""


def environment(settings: Settings, static: Mapping[str, Response]) -> jinja2.Environment:
    env = jinja2.Environment(
        loader=jinja2.PackageLoader("ladder.web"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters |= {
        "ago": ago,
        "stamp": stamp,
        "minute": minute,
        "size": size,
        "measured": measured,
        "signed": signed,
        "sentence": sentence,
        "mean": mean,
        "outcome": outcome,
        "words": words,
        "opponent": opponent,
        "lasted": lasted,
        "caret": caret,
        "schedule_words": schedule_words,
        "bot_name": bot_name,
        "winner": winner,
    }
    env.globals |= {
        "static": _static_address(static),
        "viewers": _viewers(static),
        "link": link,
        "charts": charts,
        "curves": curves,
        "names": names,
        "missing_note": ladders.missing_note,
        "titles": {game.name: game.title for game in ladders.games().games},
        "settings": settings,
    }
    return env


def show(request: Request, template: str, status: int = 200, **context: object) -> Response:
    """A page, made from a template for the reader of the request."""
    page = request.site.templates.get_template(template).render(
        reader=request.reader,
        csrf=auth.csrf_token(request.session) if request.reader else "",
        here=request.path,
        origin=request.origin,
        since=request.since,
        **context,
    )
    return Response(page.encode(), status=status)


def _static_address(static: Mapping[str, Response]) -> Callable[[str], str]:
    """URLs that change with the content, so that browsers may keep the files for ever."""
    tags = {path: response.headers["ETag"].strip('"') for path, response in static.items()}
    return lambda name: f"/static/{name}?v={tags[f'/static/{name}']}"


def _viewers(static: Mapping[str, Response]) -> frozenset[str]:
    """Names of the replay viewers; each is a script `viewer-NAME.js`."""
    found = (re.fullmatch(r"/static/viewer-([a-z0-9-]+)\.js", path) for path in static)
    return frozenset(match[1] for match in found if match)


def bot_name(bot: Any) -> str:
    """The name of a bot with that of its owner, of any view that names both."""
    return full_name(bot.owner, bot.bot if hasattr(bot, "bot") else bot.name)


def winner(tournament: TournamentRef | TournamentView) -> str:
    """The name of the sole winner, or a dash."""
    if tournament.winner is None:
        return "–"  # noqa: RUF001 - a dash, not a hyphen
    return full_name(tournament.winner_owner or "", tournament.winner)


def link(path: str, **query: object) -> str:
    """A path with those query values that are not empty."""
    given = {name: value for name, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


def stamp(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def minute(time: datetime) -> str:
    return time.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def ago(time: datetime) -> str:
    """A time relative to now, such as `3 min ago`."""
    seconds = (datetime.now(UTC) - time).total_seconds()
    ahead = seconds < -1
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count = int(abs(seconds) // length)
        if count:
            return f"in {count} {unit}" if ahead else f"{count} {unit} ago"
    return "now"


def size(count: int) -> str:
    return f"{count / 1024:.1f} KiB" if count >= 1024 else f"{count} bytes"


def measured(measure: str) -> str:
    """A measure of code size as words that follow a number."""
    return {"bytecode_bytes": "bytes of bytecode"}.get(measure, measure)


def sentence(text: str) -> str:
    """A message as a sentence of its own, with a capital letter and a full stop."""
    text = text.strip()
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def mean(value: float) -> str:
    """A mean, with a decimal unless it is large."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.1f}"


def words(name: str) -> str:
    """A name such as `bulletBonus` or `bullet_bonus` as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).capitalize()


def opponent(name: str) -> str:
    """The names of bots that a run of evolution calls `house:Walls, ladder:Fire`."""
    bots = re.split(r", (?=(?:house|ladder|file):)", name)
    pattern = r"^(?:house:|ladder:|file:(?:.*/guides/|.*/)?)(.*?)(?:\.lisp)?$"
    return ", ".join(re.sub(pattern, r"\1", bot) for bot in bots)


def lasted(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def caret(line: str, column: int) -> str:
    """A line with a caret below that column of `line`, which may begin with tabs."""
    return "".join("\t" if sign == "\t" else " " for sign in line[: column - 1]) + "^"


def outcome(match: MatchView, seat: SeatView) -> str:
    """The result of a match for one seat. A win is a first rank that no other seat shares."""
    if match.ending is None:
        return ""
    if seat.rank != 1:
        return "lost"
    return "won" if sum(other.rank == 1 for other in match.seats) == 1 else "drawn"


def signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")  # noqa: RUF001 - a minus as wide as the plus
