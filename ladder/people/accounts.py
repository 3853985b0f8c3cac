"""Use cases of accounts: creation, authentication, invites. `rosters` creates many at once."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

from ladder.errors import Conflict, Forbidden, NotFound, Refusal, Unauthorized
from ladder.people.names import check_name
from ladder.store import Connection, Database, accounts, actions
from ladder.store.database import Row, now
from ladder.values import HOUSE as HOUSE
from ladder.values import Allowance, Role, TokenUse
from ladder.views import AccountView, NewAccount

SESSION_DAYS = 14
MOST_SESSIONS = 20
"""Most sessions of an account; a further one ends the oldest."""
TARGET = "account"
"""The subject of actions about accounts in the log of admins."""
UNKNOWN_TOKEN = "this token is unknown or revoked; use another one, which begins with lad_"


def _digest(secret: str) -> str:
    # A fast hash is enough: tokens hold 256 random bits, so there is nothing to guess.
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def create(db: Database, name: str, role: Role = Role.MEMBER, *, actor: str = "") -> NewAccount:
    """A new account and its only token. Raises `Conflict` when the name is taken.

    `actor` is the admin who creates it, for the log of admins; here and below, empty: nobody is.
    """
    with db.write() as c:
        made = create_in(c, name, role)
        _log(c, actor, "create", made.id, f"{made.name} ({role})")
        return made


def _log(c: Connection, actor: str, action: str, account_id: int, detail: str) -> None:
    if actor:
        actions.insert_action(c, actor, action, TARGET, account_id, detail)


def create_in(c: Connection, name: str, role: Role) -> NewAccount:
    shown, key = check_name(name, "an account name")
    at = now()
    account_id = accounts.insert_account(c, shown, key, role, at)
    if account_id is None:
        raise Conflict(f"the account name {shown!r} is taken; choose another")
    return NewAccount(account_id, shown, role, _issue(c, account_id))


def _issue(c: Connection, account_id: int) -> str:
    token = "lad_" + secrets.token_urlsafe(32)
    accounts.insert_token(c, _digest(token), account_id, TokenUse.API, now())
    return token


def register(db: Database, name: str, *, invite: str | None, open_registration: bool) -> NewAccount:
    """A new account, where registration is open or with an invite code."""
    with db.write() as c:
        if invite:
            if not accounts.use_invite(c, _digest(invite.strip())):
                raise Forbidden("the invite code is unknown or used up; ask for a new one")
        elif not open_registration:
            raise Forbidden("registration needs an invite code here; ask the admin of this server")
        return create_in(c, name, Role.MEMBER)


def new_token(db: Database, name: str, *, replace: bool = False, actor: str = "") -> str:
    """Another token for an existing account; with `replace`, the only one that works from now."""
    with db.write() as c:
        account = _named(c, name)
        if replace:
            accounts.delete_tokens_of(c, account.id)
        told = "; earlier ones are revoked" if replace else ""
        _log(c, actor, "new token", account.id, f"{account.name}{told}")
        return _issue(c, account.id)


def replace_tokens(db: Database, account: AccountView) -> NewAccount:
    """Replace all tokens by a new one and end every session, for an owner whose token may be
    stolen.
    """
    with db.write() as c:
        accounts.delete_tokens_of(c, account.id)
        return NewAccount(account.id, account.name, account.role, _issue(c, account.id))


def revoke(db: Database, name: str, *, actor: str = "") -> int:
    """Remove all tokens and sessions of an account; return their number. Its bots stay."""
    with db.write() as c:
        account = _named(c, name)
        _log(c, actor, "revoke tokens", account.id, account.name)
        return accounts.delete_tokens_of(c, account.id)


def _named(c: Connection, name: str) -> AccountView:
    account = accounts.account_named(c, check_name(name, "an account name")[1])
    if account is None or account.name == HOUSE:
        raise NotFound(f"there is no account {name!r}")
    return account


def authenticate(db: Database, token: str, use: TokenUse) -> AccountView | None:
    """The account of a token; raises `Forbidden` when it is banned."""
    with db.read() as c:
        return _holder(c, token, use)


def _holder(c: Connection, token: str, use: TokenUse, *, lock: bool = False) -> AccountView | None:
    row = accounts.account_of_token(c, _digest(token), use, now(), lock=lock)
    if row is None:
        return None
    _refuse_banned(row)
    return AccountView(row.id, row.name, row.role, row.created_at)


def _refuse_banned(row: Row) -> None:
    if row.ban_reason is not None:
        raise Forbidden(f"the account {row.name} is banned: {row.ban_reason}")


def holds_token(token: str, use: TokenUse) -> Callable[[Connection], None]:
    """A check for `Database.checked`: the token is still valid when the transaction writes.

    A body takes seconds to arrive, and requests wait in a queue. Meanwhile the token may be revoked
    or the account banned.
    """

    def check(c: Connection) -> None:
        if _holder(c, token, use, lock=True) is None:
            raise Unauthorized("this token is no longer valid; sign in or get a new one")

    return check


def lock_in_good_standing(c: Connection, account_id: int) -> Row:
    """Lock the account against bans until the transaction ends; raises `Forbidden` when it is
    banned.
    """
    row = accounts.lock_account(c, account_id)
    _refuse_banned(row)
    return row


def allowance_of(c: Connection, account_id: int, usual: Allowance) -> Allowance:
    """The allowance of an account, which stays locked until the transaction ends."""
    return merge_allowance(usual, lock_in_good_standing(c, account_id).allowance)


def read_allowance(c: Connection, account_id: int, usual: Allowance) -> Allowance:
    """The allowance of an account now, without a lock."""
    return merge_allowance(usual, accounts.account(c, account_id).allowance)


def merge_allowance(usual: Allowance, own: Mapping[str, int] | None) -> Allowance:
    """The usual allowance with the changes of an admin; limits that only other releases know are
    left out.
    """
    known = {name: number for name, number in (own or {}).items() if hasattr(usual, name)}
    return replace(usual, **known)


def open_session(db: Database, token: str, ends: str = "") -> str:
    """Exchange a token for a session that a browser may keep in a cookie.

    `ends` is the browser's earlier session, which ends.
    """
    if authenticate(db, token.strip(), TokenUse.API) is None:  # guesses must not hold up writers
        raise Unauthorized(UNKNOWN_TOKEN)
    with db.write() as c:
        account = _holder(c, token.strip(), TokenUse.API)
        if account is None:
            raise Unauthorized(UNKNOWN_TOKEN)
        if ends:
            accounts.delete_token(c, _digest(ends), TokenUse.SESSION)
        session = secrets.token_urlsafe(32)
        expires = now() + timedelta(days=SESSION_DAYS)
        accounts.insert_token(c, _digest(session), account.id, TokenUse.SESSION, now(), expires)
        accounts.delete_expired_tokens(c, now())
        accounts.delete_sessions_but(c, account.id, MOST_SESSIONS)
        return session


def close_session(db: Database, session: str) -> None:
    with db.write() as c:
        accounts.delete_token(c, _digest(session), TokenUse.SESSION)


def create_invite(db: Database, uses: int, *, actor: str = "") -> str:
    """A code with which `uses` people may create an account."""
    if not 1 <= uses <= 10_000:
        raise Refusal("an invite code must allow 1 to 10,000 accounts")
    code = secrets.token_urlsafe(9)
    with db.write() as c:
        accounts.insert_invite(c, _digest(code), uses, now())
        _log(c, actor, "invite", 0, f"a code for {uses} account{'s' if uses > 1 else ''}")
    return code
