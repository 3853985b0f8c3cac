"""Forms and what they do. Access, origin and CSRF tokens are checked before any of these runs."""

from __future__ import annotations

from dataclasses import replace

from ladder import accounts, boards
from ladder.errors import Refusal, TooMany
from ladder.values import TokenUse
from ladder.views import NewAccount
from ladder.web import api, problems
from ladder.web.bodies import UploadForm
from ladder.web.rendering import show
from ladder.web.site import Ask, Reply, see_other

AFTER_SIGN_IN = ("/me", "/upload")
"""Where a sign-in may lead: a fixed list, so that no link can lead elsewhere."""


def upload_form(ask: Ask, game: str, name: str) -> Reply:
    return _upload_page(ask, game=game, name=name)


def upload(ask: Ask, form: UploadForm) -> Reply:
    """Enter the bot and lead to its page, or show the form again with what was wrong."""
    try:
        submission = api.enter(ask, form)
    except Refusal as error:
        return _upload_page(ask, game=form.game, name=form.name, error=error)
    return see_other(f"/bots/{submission.id}")


def _upload_page(ask: Ask, game: str = "", name: str = "", error: Refusal | None = None) -> Reply:
    page = show(
        ask,
        "upload.html",
        error.status if error else 200,
        games=boards.games().games,
        game=game,
        name=name,
        error=error,
    )
    return replace(page, headers=problems.from_error(error)[1] if error else {})


def sign_in_form(ask: Ask, next: str) -> Reply:
    return _sign_in_page(ask, next=next)


def sign_in(ask: Ask, form: dict[str, str]) -> Reply:
    try:
        session = accounts.open_session(ask.site.db, form["token"], ends=ask.session)
    except Refusal as error:
        ask.site.failures.take(ask.address, "bad tokens")
        return _sign_in_page(ask, next=form["next"], error=error)
    target = form["next"] if form["next"] in AFTER_SIGN_IN else AFTER_SIGN_IN[0]
    return see_other(target, session)


def register(ask: Ask, form: dict[str, str]) -> Reply:
    """Create an account, sign its owner in, and show the token for the only time."""
    try:
        account = api.register(ask, form["name"], form["invite"] or None)
    except TooMany:
        raise
    except Refusal as error:
        return _sign_in_page(ask, name=form["name"], register_error=error)
    return _show_token(ask, account, 201)


def replace_token(ask: Ask, form: dict[str, str]) -> Reply:
    """A new token for all old ones; every other browser is signed out, this one is not."""
    return _show_token(ask, accounts.replace_tokens(ask.site.db, ask.member), 200)


def _show_token(ask: Ask, account: NewAccount, status: int) -> Reply:
    session = accounts.open_session(ask.site.db, account.token, ends=ask.session)
    reader = accounts.authenticate(ask.site.db, session, TokenUse.SESSION)
    signed_in = replace(ask, reader=reader, session=session)
    reply = show(signed_in, "token.html", status, account=account, fresh=status == 201)
    return replace(reply, session=session)


def sign_out(ask: Ask, form: dict[str, str]) -> Reply:
    accounts.close_session(ask.site.db, ask.session)
    return see_other("/", session="")


def _sign_in_page(
    ask: Ask,
    next: str = "",
    name: str = "",
    error: Refusal | None = None,
    register_error: Refusal | None = None,
) -> Reply:
    status = (error or register_error or Refusal).status if error or register_error else 200
    return show(
        ask, "signin.html", status, next=next, name=name, error=error, register_error=register_error
    )
