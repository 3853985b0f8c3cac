"""Statements about accounts, tokens and invites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ladder.models import Account, Invite, Token
from ladder.store.database import Connection, Row
from ladder.values import Role, TokenUse
from ladder.views import AccountView

_COLUMNS = (Account.id, Account.name, Account.role, Account.created_at)


def insert_account(c: Connection, name: str, key: str, role: Role, at: datetime) -> int | None:
    """The new account's id, or None when the name is taken."""
    row = sa.insert(Account).values(name=name, name_key=key, role=role, created_at=at)
    try:
        with c.begin_nested():
            return int(c.execute(row.returning(Account.id)).scalar_one())
    except sa.exc.IntegrityError:
        return None


def account_named(c: Connection, key: str) -> AccountView | None:
    row = c.execute(sa.select(*_COLUMNS).where(Account.name_key == key)).one_or_none()
    return AccountView(*row) if row else None


def account_of_token(
    c: Connection, digest: str, use: TokenUse, at: datetime, *, lock: bool = False
) -> Row | None:
    """With the reason of its ban, or none. `lock` keeps it from being banned until the transaction
    ends.
    """
    query = (
        sa.select(*_COLUMNS, Account.ban_reason)
        .join(Token, Token.account_id == Account.id)
        .where(Token.hash == digest, Token.use == use)
        .where(sa.or_(Token.expires_at.is_(None), Token.expires_at > at))
    )
    return c.execute(query.with_for_update(of=Account) if lock else query).one_or_none()


def insert_token(
    c: Connection,
    digest: str,
    account_id: int,
    use: TokenUse,
    at: datetime,
    expires: datetime | None = None,
) -> None:
    c.execute(
        sa.insert(Token).values(
            hash=digest, account_id=account_id, use=use, created_at=at, expires_at=expires
        )
    )


def delete_token(c: Connection, digest: str, use: TokenUse) -> None:
    c.execute(sa.delete(Token).where(Token.hash == digest, Token.use == use))


def account(c: Connection, account_id: int) -> Row:
    return c.execute(sa.select(Account).where(Account.id == account_id)).one()


def lock_account(c: Connection, account_id: int) -> Row:
    """Lock and return the account until this transaction ends."""
    return c.execute(sa.select(Account).where(Account.id == account_id).with_for_update()).one()


def row_named(c: Connection, key: str) -> Row | None:
    return c.execute(_named(key)).one_or_none()


def lock_named(c: Connection, key: str) -> Row | None:
    return c.execute(_named(key).with_for_update()).one_or_none()


def _named(key: str) -> sa.Select[*tuple[Any, ...]]:
    return sa.select(Account).where(Account.name_key == key)


def listed(c: Connection, above: str, banned: bool, limit: int) -> Sequence[Row]:
    """In the order of their names, from the first one after `above`."""
    query = sa.select(Account).where(Account.name_key > above)
    if banned:
        query = query.where(Account.banned_at.is_not(None))
    return c.execute(query.order_by(Account.name_key).limit(limit)).all()


def set_ban(c: Connection, account_id: int, at: datetime | None, reason: str | None) -> None:
    c.execute(
        sa.update(Account).where(Account.id == account_id).values(banned_at=at, ban_reason=reason)
    )


def set_allowance(c: Connection, account_id: int, allowance: Mapping[str, int]) -> None:
    """Store the limits that differ from those of all accounts."""
    c.execute(
        sa.update(Account).where(Account.id == account_id).values(allowance=dict(allowance) or None)
    )


def delete_sessions_but(c: Connection, account_id: int, newest: int) -> None:
    """Remove all but the newest sessions of an account."""
    own = sa.select(Token.hash).where(Token.account_id == account_id, Token.use == TokenUse.SESSION)
    older = own.order_by(Token.created_at.desc()).offset(newest)
    c.execute(sa.delete(Token).where(Token.hash.in_(list(c.scalars(older)))))


def delete_sessions(c: Connection, account_id: int) -> None:
    own = sa.delete(Token).where(Token.account_id == account_id, Token.use == TokenUse.SESSION)
    c.execute(own)


def delete_tokens_of(c: Connection, account_id: int) -> int:
    """Remove every token and session of an account; return their number."""
    return c.execute(sa.delete(Token).where(Token.account_id == account_id)).rowcount


def delete_expired_tokens(c: Connection, at: datetime) -> None:
    c.execute(sa.delete(Token).where(Token.expires_at <= at))


def insert_invite(c: Connection, digest: str, uses: int, at: datetime) -> None:
    c.execute(sa.insert(Invite).values(hash=digest, uses_left=uses, created_at=at))


def use_invite(c: Connection, digest: str) -> bool:
    """Take one use of an invite; False when none is left."""
    statement = (
        sa.update(Invite)
        .where(Invite.hash == digest, Invite.uses_left > 0)
        .values(uses_left=Invite.uses_left - 1)
    )
    return c.execute(statement).rowcount == 1
