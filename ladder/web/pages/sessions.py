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


def sign_in_form(request: Request, next: str) -> Response:
    return _sign_in_page(request, next=next)


def sign_in(request: Request, form: dict[str, str]) -> Response:
    try:
        session = accounts.open_session(request.site.db, form["token"], ends=request.session)
    except Refusal as error:
        request.site.failures.take(request.address, "bad tokens from your address")
        return _sign_in_page(request, next=form["next"], error=error)
    target = form["next"] if form["next"] in AFTER_SIGN_IN else AFTER_SIGN_IN[0]
    return see_other(target, session)


def register(request: Request, form: dict[str, str]) -> Response:
    """Create an account, sign its owner in, and show the token for the only time."""
    try:
        account = intake.register(request, form["name"], form["invite"] or None)
    except TooMany:
        raise
    except Refusal as error:
        return _sign_in_page(request, name=form["name"], register_error=error)
    return show_token(request, account, 201)


def replace_token(request: Request, form: dict[str, str]) -> Response:
    """A new token for all old ones; every other browser is signed out, this one is not."""
    return show_token(request, accounts.replace_tokens(request.site.db, request.member), 200)


def sign_in_by_token(request: Request, token: str) -> Request:
    """The same request by somebody who has just shown a token; raises `Unauthorized`."""
    db = request.site.db.checked(
        None
    )  # the token they came with before may be one of those replaced
    session = accounts.open_session(db, token, ends=request.session)
    reader = accounts.authenticate(db, session, TokenUse.SESSION)
    if reader is None:
        raise Unauthorized("this token is not valid any more")
    return replace(request, session=session).by_token(reader, session, TokenUse.SESSION)


def show_token(request: Request, account: NewAccount, status: int) -> Response:
    signed_in = sign_in_by_token(request, account.token)
    response = show(
        signed_in,
        "token.html",
        status,
        account=account,
        new_account=status == 201,
        submitted=None,
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
