"""Pages for admins alone: what goes on, who did what, accounts and leagues. Plain forms."""

from __future__ import annotations

from collections.abc import Callable

from engines.games import LEFT_OUT
from ladder.admin import moderation, oversight
from ladder.boards import ladders
from ladder.contests import leagues
from ladder.contests.formats import FORMATS
from ladder.errors import Refusal
from ladder.values import OPEN_DIVISION
from ladder.web.http.inputs import BadValue, whole_number
from ladder.web.http.site import Request, Response, see_other
from ladder.web.pages.rendering import link, show

ACCOUNT_FIELDS = ("csrf", "action", "name", "reason", *moderation.LIMITS)
LEAGUE_FIELDS = (
    *("csrf", "action", "league", "game", "name", "division", "cron", "timezone", "size"),
    "format",
)


def overview(ask: Request) -> Response:
    seconds = ask.site.settings.lease_seconds
    return show(
        ask,
        "admin.html",
        view=oversight.overview(ask.site.db, seconds),
        told=ask.site.status(),
        live=len(ask.site.live),
        notes=ask.site.notes(),
        left_out=LEFT_OUT,
    )


def audit_log(ask: Request, after: int | None) -> Response:
    page = oversight.audit_page(ask.site.db, after)
    return show(ask, "admin-actions.html", page=page, after=after)


def account_list(ask: Request, after: str, banned: str, name: str) -> Response:
    if name:
        return account(ask, name)
    page = moderation.page(ask.site.db, after=after, banned=bool(banned))
    return show(ask, "admin-accounts.html", page=page, banned=banned)


def account(ask: Request, name: str, error: Refusal | None = None) -> Response:
    usual = ask.site.settings.allowance
    return show(
        ask,
        "admin-account.html",
        error.status if error else 200,
        use=moderation.account(ask.site.db, name, usual),
        usual=usual,
        limits=moderation.LIMITS,
        error=error,
    )


def act_on_account(ask: Request, form: dict[str, str]) -> Response:
    """Ban, unban, or set limits; what was wrong is shown on the page of the account."""
    db, name, actor = ask.site.db, form["name"], ask.member.name
    acts: dict[str, Callable[[], object]] = {
        "ban": lambda: moderation.ban(db, name, form["reason"], actor),
        "unban": lambda: moderation.unban(db, name, actor),
        "limit": lambda: moderation.set_limits(db, name, _limits(form), actor),
    }
    try:
        _choose(acts, form)()
    except Refusal as error:
        return account(ask, name, error)
    return see_other(link("/admin/accounts", name=name))


def _limits(form: dict[str, str]) -> dict[str, int | None]:
    """An empty field means: as for everybody."""
    return {
        limit: _number(form[limit], limit) if form[limit].strip() else None
        for limit in moderation.LIMITS
    }


def league_list(
    ask: Request, error: Refusal | None = None, form: dict[str, str] | None = None
) -> Response:
    games = ladders.games().games
    settings = ask.site.settings
    usual = dict.fromkeys(LEAGUE_FIELDS, "") | {
        "cron": settings.league_cron,
        "timezone": settings.league_timezone,
        "size": str(settings.league_size),
    }
    return show(
        ask,
        "admin-leagues.html",
        error.status if error else 200,
        leagues=leagues.all_leagues(ask.site.db).leagues,
        games=games,
        divisions=list(dict.fromkeys(name for game in games for name in game.divisions)),
        formats=FORMATS.values(),
        form=form if form and form["action"] == "create" else usual,
        error=error,
    )


def act_on_league(ask: Request, form: dict[str, str]) -> Response:
    """Create, change, pause or resume a league."""
    db, actor = ask.site.db, ask.member.name
    acts: dict[str, Callable[[], object]] = {
        "create": lambda: leagues.create_league(
            db,
            leagues.NewLeague(
                form["game"],
                form["name"],
                form["division"] or OPEN_DIVISION,
                form["cron"],
                form["timezone"],
                _number(form["size"], "size"),
                format=form["format"] or None,
            ),
            actor=actor,
        ),
        "change": lambda: leagues.change_league(
            db,
            _number(form["league"], "league"),
            form["cron"],
            form["timezone"],
            _number(form["size"], "size"),
            actor,
        ),
        "pause": lambda: leagues.set_paused(db, _number(form["league"], "league"), True, actor),
        "resume": lambda: leagues.set_paused(db, _number(form["league"], "league"), False, actor),
    }
    try:
        _choose(acts, form)()
    except Refusal as error:
        return league_list(ask, error, form)
    return see_other("/admin/leagues")


def _choose(acts: dict[str, Callable[[], object]], form: dict[str, str]) -> Callable[[], object]:
    if form["action"] not in acts:
        raise Refusal(f"unknown action {form['action'][:40]!r}")
    return acts[form["action"]]


def _number(text: str, name: str) -> int:
    try:
        return whole_number(0, 2**53)(text.strip())
    except BadValue as error:
        raise Refusal(f"{name.replace('_', ' ')} {error}, not {text[:40]!r}") from error
