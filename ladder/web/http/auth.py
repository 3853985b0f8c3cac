"""Authentication: bearer tokens for the API, a cookie session with CSRF tokens for pages."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from enum import Enum
from urllib.parse import urlsplit

from ladder.errors import Forbidden, Unauthorized
from ladder.people import accounts
from ladder.store import Database
from ladder.values import Role, TokenUse
from ladder.views import AccountView

SESSION_SECONDS = accounts.SESSION_DAYS * 86_400


class Access(Enum):
    """The rights that a route demands."""

    ANYONE = "anyone"
    """The route ignores tokens."""
    READER = "reader"
    """Everybody, and members see more; a bad token is refused."""
    MEMBER = "member"
    ADMIN = "admin"


class BadToken(Unauthorized):
    """The request has a token, and it is not valid."""


def cookie_name(secure: bool) -> str:
    """Browsers accept a cookie named `__Host-…` only from its own host, and only over HTTPS."""
    return "__Host-session" if secure else "session"


def bearer(headers: Mapping[str, str]) -> str | None:
    """The token of the `Authorization` header; raises `BadToken` when the header is malformed."""
    header = headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise BadToken("send the token as `Authorization: Bearer TOKEN`")
    return token.strip()


def identify(db: Database, token: str | None, access: Access) -> AccountView | None:
    """The account of a bearer token, if the account may use a route with that access."""
    account = accounts.authenticate(db, token, TokenUse.API) if token else None
    if token and account is None:
        raise BadToken("this token is not valid; copy it again, or ask the admin for a new one")
    return admit(account, access)


def admit(account: AccountView | None, access: Access) -> AccountView | None:
    if access in (Access.MEMBER, Access.ADMIN) and account is None:
        raise Unauthorized("this needs a token: send `Authorization: Bearer TOKEN`")
    if access is Access.ADMIN and account is not None and account.role is not Role.ADMIN:
        raise Forbidden("only admins may do this; ask an admin of this server")
    return account


def csrf_token(session: str) -> str:
    """The form token of one session. It does not reveal the token of the session."""
    return hmac.new(session.encode(), b"evoladder form", hashlib.sha256).hexdigest()


def check_csrf(session: str, given: str) -> None:
    if not session or not hmac.compare_digest(csrf_token(session).encode(), given.encode()):
        raise Forbidden("this form has expired; go back, reload the page, and send it again")


def check_same_origin(headers: Mapping[str, str]) -> None:
    """Refuse a form that another site made the browser send; no session is needed.

    Browsers always name the origin of a form. Programs need not: another site cannot make a program
    send a form.
    """
    site = headers.get("Sec-Fetch-Site")
    origin = headers.get("Origin")
    if site is not None:
        foreign = site not in ("same-origin", "none")
    else:
        foreign = origin is not None and urlsplit(origin).netloc != headers.get("Host")
    if foreign:
        raise Forbidden("this form came from another site; open the page here and send it again")
