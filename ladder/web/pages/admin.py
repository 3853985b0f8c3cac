"""Pages for admins alone: the state of the server, the audit log, accounts and leagues."""

from __future__ import annotations

from collections.abc import Callable

from engines.games import LEFT_OUT
from ladder.admin import moderation, oversight
from ladder.boards import ladders
from ladder.contests import leagues
from ladder.contests.formats import FORMATS
from ladder.errors import Refusal
from ladder.values import OPEN_DIVISION
from ladder.web.http.site import Request, Response, see_other
from ladder.web.pages.forms import carry_out, number_field
from ladder.web.pages.rendering import link, show

ACCOUNT_FIELDS = ("csrf", "action", "name", "reason", *moderation.LIMITS)
LEAGUE_FIELDS = (
    "csrf",
    "action",
    "league",
    "game",
    "name",
    "division",
    "cron",
    "timezone",
    "size",
    "format",
)


def overview(request: Request) -> Response:
    seconds = request.site.settings.lease_seconds
    return show(
        request,
        "admin.html",
        view=oversight.overview(request.site.db, seconds),
        told=request.site.status(),
        live=len(request.site.live),
        notes=request.site.notes(),
        left_out=LEFT_OUT,
    )


def audit_log(request: Request, after: int | None) -> Response:
    page = oversight.audit_page(request.site.db, after)
    return show(request, "admin-actions.html", page=page, after=after)


def account_list(request: Request, after: str, banned: str, name: str) -> Response:
    if name:
        return account(request, name)
    page = moderation.page(request.site.db, after=after, banned=bool(banned))
    return show(request, "admin-accounts.html", page=page, banned=banned)


def account(request: Request, name: str, error: Refusal | None = None) -> Response:
    usual = request.site.settings.allowance
    return show(
        request,
        "admin-account.html",
        error.status if error else 200,
        use=moderation.account(request.site.db, name, usual),
        usual=usual,
        limits=moderation.LIMITS,
        error=error,
    )


def act_on_account(request: Request, form: dict[str, str]) -> Response:
    """Ban, unban, or set limits; the page of the account shows a refusal."""
    db, name, actor = request.site.db, form["name"], request.member.name
    actions: dict[str, Callable[[], object]] = {
        "ban": lambda: moderation.ban(db, name, form["reason"], actor),
        "unban": lambda: moderation.unban(db, name, actor),
        "limit": lambda: moderation.set_limits(db, name, _limits(form), actor),
    }
    try:
        carry_out(actions, form["action"])
    except Refusal as error:
        return account(request, name, error)
    return see_other(link("/admin/accounts", name=name))


def _limits(form: dict[str, str]) -> dict[str, int | None]:
    """An empty field removes a limit of the account's own."""
    return {
        limit: number_field(form, limit, least=0) if form[limit].strip() else None
        for limit in moderation.LIMITS
    }


def league_list(
    request: Request, error: Refusal | None = None, form: dict[str, str] | None = None
) -> Response:
    games = ladders.games().games
    settings = request.site.settings
    usual = dict.fromkeys(LEAGUE_FIELDS, "") | {
        "cron": settings.league_cron,
        "timezone": settings.league_timezone,
        "size": str(settings.league_size),
    }
    return show(
        request,
        "admin-leagues.html",
        error.status if error else 200,
        leagues=leagues.all_leagues(request.site.db).leagues,
        games=games,
        divisions=list(dict.fromkeys(name for game in games for name in game.divisions)),
        formats=FORMATS.values(),
        form=form if form and form["action"] == "create" else usual,
        error=error,
    )


def act_on_league(request: Request, form: dict[str, str]) -> Response:
    """Create, change, pause or resume a league."""
    db, actor = request.site.db, request.member.name
    actions: dict[str, Callable[[], object]] = {
        "create": lambda: leagues.create_league(
            db,
            leagues.NewLeague(
                form["game"],
                form["name"],
                form["division"] or OPEN_DIVISION,
                form["cron"],
                form["timezone"],
                number_field(form, "size"),
                format=form["format"] or None,
            ),
            actor=actor,
        ),
        "change": lambda: leagues.change_league(
            db,
            number_field(form, "league"),
            form["cron"],
            form["timezone"],
            number_field(form, "size"),
            actor,
        ),
        "pause": lambda: leagues.set_paused(db, number_field(form, "league"), True, actor),
        "resume": lambda: leagues.set_paused(db, number_field(form, "league"), False, actor),
    }
    try:
        carry_out(actions, form["action"])
    except Refusal as error:
        return league_list(request, error, form)
    return see_other("/admin/leagues")
