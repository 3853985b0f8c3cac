"""Forms of accounts and sessions. Access, origin and CSRF tokens are checked before these run."""

from __future__ import annotations

from dataclasses import replace

from ladder.errors import Refusal, TooMany, Unauthorized
from ladder.people import accounts
from ladder.values import TokenUse
from ladder.views import NewAccount
from ladder.web import intake
from ladder.web.http.site import Request, Response, see_other
from ladder.web.pages.rendering import show

AFTER_SIGN_IN = ("/me", "/upload")
"""Where a sign-in may lead: a fixed list, so that no link can lead elsewhere."""


def sign_in_form(ask: Request, next: str) -> Response:
    return _sign_in_page(ask, next=next)


def sign_in(ask: Request, form: dict[str, str]) -> Response:
    try:
        session = accounts.open_session(ask.site.db, form["token"], ends=ask.session)
    except Refusal as error:
        ask.site.failures.take(ask.address, "bad tokens from your address")
        return _sign_in_page(ask, next=form["next"], error=error)
    target = form["next"] if form["next"] in AFTER_SIGN_IN else AFTER_SIGN_IN[0]
    return see_other(target, session)


def register(ask: Request, form: dict[str, str]) -> Response:
    """Create an account, sign its owner in, and show the token for the only time."""
    try:
        account = intake.register(ask, form["name"], form["invite"] or None)
    except TooMany:
        raise
    except Refusal as error:
        return _sign_in_page(ask, name=form["name"], register_error=error)
    return show_token(ask, account, 201)


def replace_token(ask: Request, form: dict[str, str]) -> Response:
    """A new token for all old ones; every other browser is signed out, this one is not."""
    return show_token(ask, accounts.replace_tokens(ask.site.db, ask.member), 200)


def come_in(ask: Request, token: str) -> Request:
    """The same request by somebody who has just shown a token; raises `Unauthorized`."""
    db = ask.site.db.checked(None)  # the token they came with before may be one of those replaced
    session = accounts.open_session(db, token, ends=ask.session)
    reader = accounts.authenticate(db, session, TokenUse.SESSION)
    if reader is None:
        raise Unauthorized("this token is not valid any more")
    return replace(ask, session=session).by_token(reader, session, TokenUse.SESSION)


def show_token(ask: Request, account: NewAccount, status: int) -> Response:
    signed_in = come_in(ask, account.token)
    reply = show(
        signed_in,
        "token.html",
        status,
        account=account,
        fresh=status == 201,
        entered=None,
    )
    return replace(reply, session=signed_in.session)


def sign_out(ask: Request, form: dict[str, str]) -> Response:
    accounts.close_session(ask.site.db, ask.session)
    return see_other("/", session="")


def _sign_in_page(
    ask: Request,
    next: str = "",
    name: str = "",
    error: Refusal | None = None,
    register_error: Refusal | None = None,
) -> Response:
    status = (error or register_error or Refusal).status if error or register_error else 200
    return show(
        ask, "signin.html", status, next=next, name=name, error=error, register_error=register_error
    )
