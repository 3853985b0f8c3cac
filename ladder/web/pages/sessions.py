"""Forms of accounts and sessions. `endpoint` checks access, origin and form tokens before."""

from __future__ import annotations

from dataclasses import replace

from ladder.errors import Refusal, TooMany, Unauthorized
from ladder.people import accounts
from ladder.values import TokenUse
from ladder.views import NewAccount
from ladder.web import intake
from ladder.web.http.inputs import is_local
from ladder.web.http.site import Request, Response, see_other
from ladder.web.pages.rendering import show

AFTER_SIGN_IN = "/me"
"""The page that a sign-in leads to when the reader asked for no page before."""


def sign_in_form(request: Request, next: str) -> Response:
    return _sign_in_page(request, next=next)


def sign_in(request: Request, form: dict[str, str]) -> Response:
    try:
        session = accounts.open_session(request.site.db, form["token"], ends=request.session)
    except Refusal as error:
        request.site.failures.take(request.address, "bad tokens from your address")
        return _sign_in_page(request, next=form["next"], error=error)
    return see_other(form["next"] if is_local(form["next"]) else AFTER_SIGN_IN, session)


def register(request: Request, form: dict[str, str]) -> Response:
    """Create an account, sign its owner in, and show the token this once."""
    try:
        account = intake.register(request, form["name"], form["invite"] or None)
    except TooMany:
        raise
    except Refusal as error:
        return _sign_in_page(request, next=form["next"], name=form["name"], register_error=error)
    return show_token(request, account, 201, form["next"])


def replace_token(request: Request, form: dict[str, str]) -> Response:
    """Replace all tokens by a new one. Every other browser is signed out."""
    return show_token(request, accounts.replace_tokens(request.site.db, request.member), 200)


def sign_in_by_token(request: Request, token: str) -> Request:
    """The same request, signed in with a token that it brings; raises `Unauthorized`."""
    db = request.site.db.checked(None)  # the former token of the request may have been replaced
    session = accounts.open_session(db, token, ends=request.session)
    reader = accounts.authenticate(db, session, TokenUse.SESSION)
    if reader is None:
        raise Unauthorized("this token is no longer valid; sign in with your newest token")
    return replace(request, session=session).by_token(reader, session, TokenUse.SESSION)


def show_token(request: Request, account: NewAccount, status: int, next: str = "") -> Response:
    signed_in = sign_in_by_token(request, account.token)
    response = show(
        signed_in,
        "token.html",
        status,
        account=account,
        new_account=status == 201,
        submitted=None,
        next=next if is_local(next) else "",
    )
    return replace(response, session=signed_in.session)


def sign_out(request: Request, form: dict[str, str]) -> Response:
    accounts.close_session(request.site.db, request.session)
    return see_other("/", session="")


def _sign_in_page(
    request: Request,
    next: str = "",
    name: str = "",
    error: Refusal | None = None,
    register_error: Refusal | None = None,
) -> Response:
    status = (error or register_error or Refusal).status if error or register_error else 200
    return show(
        request,
        "signin.html",
        status,
        next=next,
        name=name,
        error=error,
        register_error=register_error,
    )
