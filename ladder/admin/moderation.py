"""Use cases of admins about accounts: bans and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from ladder.contests.rounds import count_results
from ladder.errors import Conflict, NotFound, Refusal
from ladder.events import news
from ladder.people.accounts import HOUSE, TARGET, merge_allowance
from ladder.people.names import check_name
from ladder.store import (
    Connection,
    Database,
    accounts,
    actions,
    bots,
    challenges,
    queue,
    ratings,
)
from ladder.store.database import Row, now
from ladder.uploads.submissions import DAY, HOUR, reject
from ladder.values import Allowance, Purpose, VersionStatus
from ladder.views import AccountPage, AccountStanding, AccountUse

LIMITS = tuple(field.name for field in fields(Allowance))
MOST = 10**9
MOST_REASON = 500


def ban(db: Database, name: str, why: str, actor: str) -> AccountStanding:
    """Ban an account: its tokens and its bots stop working.

    Its tokens are refused, its browsers are signed out, its bots leave the boards, the queue and
    their tournaments, and uploads that wait for validation are rejected. Played matches stay.
    """
    reason = " ".join(why.split())
    if not 1 <= len(reason) <= MOST_REASON:
        raise Refusal(
            f"the reason must have 1 to {MOST_REASON} characters; the banned person reads it"
        )
    with db.write() as c:
        row = _locked(c, name)
        if row.name == actor:
            raise Conflict("you cannot ban your own account")
        if row.banned_at is not None:
            raise Conflict(f"{row.name} is banned already: {row.ban_reason}")
        accounts.set_ban(c, row.id, now(), reason)
        accounts.delete_sessions(c, row.id)
        _retire(c, row.id)
        actions.insert_action(c, actor, "ban", TARGET, row.id, f"{row.name}: {reason}")
        return _standing(accounts.lock_account(c, row.id))


def _retire(c: Connection, account_id: int) -> None:
    accepted = [one.id for one in bots.versions_owned(c, account_id, VersionStatus.ACCEPTED)]
    waiting = [one.id for one in bots.versions_owned(c, account_id, VersionStatus.VALIDATING)]
    # First all ratings, in the order of their ids, as every transaction locks them.
    ratings.lock_ladders(c, accepted)
    for version_id in _playing(c, account_id):
        bots.take_off_board(c, version_id)
        news.version_moved(c, bots.version(c, version_id), VersionStatus.ACCEPTED)
    for version_id in waiting:
        reason = "The account was banned before it was validated; upload it again."
        reject(c, bots.version(c, version_id), reason)
    for version_id in (*accepted, *waiting):
        queue.cancel_queued(c, version_id, tuple(Purpose))
    count_results(c, [], accepted)


def _playing(c: Connection, account_id: int) -> list[int]:
    """The playing versions of an account's bots: the newest of each, unless suspended."""
    decided = (VersionStatus.ACCEPTED, VersionStatus.SUSPENDED)
    newest = {one.bot_id: one for one in bots.versions_owned(c, account_id, *decided)}
    return sorted(one.id for one in newest.values() if one.status is VersionStatus.ACCEPTED)


def unban(db: Database, name: str, actor: str) -> AccountStanding:
    """Let an account act again; its bots return to the boards, but not to tournaments."""
    with db.write() as c:
        row = _locked(c, name)
        if row.banned_at is None:
            raise Conflict(f"{row.name} is not banned")
        accounts.set_ban(c, row.id, None, None)
        back = _playing(c, row.id)
        ratings.lock_ladders(c, back)
        bots.put_on_board(c, back)
        for version_id in back:
            news.version_moved(c, bots.version(c, version_id), VersionStatus.ACCEPTED)
        actions.insert_action(c, actor, "unban", TARGET, row.id, row.name)
        return _standing(accounts.lock_account(c, row.id))


def set_limits(
    db: Database, name: str, changes: Mapping[str, int | None], actor: str
) -> AccountStanding:
    """Set limits of an account; None: the limits of all accounts."""
    for limit, value in changes.items():
        if limit not in LIMITS:
            raise Refusal(f"there is no limit {limit[:40]!r}; there are {', '.join(LIMITS)}")
        if value is not None and not 0 <= value <= MOST:
            raise Refusal(f"{limit} must lie between 0 and {MOST:,}")
    with db.write() as c:
        row = _locked(c, name)
        merged = {**(row.allowance or {}), **changes}
        kept = {limit: value for limit, value in merged.items() if value is not None}
        accounts.set_allowance(c, row.id, kept)
        told = ", ".join(
            f"{limit} {'as usual' if value is None else value}"
            for limit, value in sorted(changes.items())
        )
        actions.insert_action(c, actor, "limit", TARGET, row.id, f"{row.name}: {told}")
        return _standing(accounts.lock_account(c, row.id))


def account(db: Database, name: str, usual: Allowance) -> AccountUse:
    """An account with its limits, where `usual` are those of all accounts, and its use of them."""
    at = now()
    with db.read() as c:
        row = _found(accounts.row_named(c, check_name(name, "an account name")[1]), name)
        uploads = bots.uploads_since(c, row.id, at - DAY)
        return AccountUse(
            account=_standing(row),
            allowance=merge_allowance(usual, row.allowance),
            uploads_this_hour=sum(one > at - HOUR for one in uploads),
            uploads_today=len(uploads),
            bots=bots.count_bots(c, row.id),
            stored_bytes=bots.stored_bytes(c, row.id),
            challenges_today=len(challenges.since(c, row.id, at - DAY)),
            uploads_waiting=queue.count_uploads_waiting(c, row.id),
        )


def page(
    db: Database, *, after: str | None = None, banned: bool = False, limit: int = 100
) -> AccountPage:
    """All accounts, or those that are banned, in the order of their names."""
    with db.read() as c:
        rows = accounts.listed(c, after or "", banned, limit)
    return AccountPage(
        [_standing(row) for row in rows], rows[-1].name_key if len(rows) == limit else None
    )


def _locked(c: Connection, name: str) -> Row:
    return _found(accounts.lock_named(c, check_name(name, "an account name")[1]), name)


def _found(row: Row | None, name: str) -> Row:
    if row is None or row.name == HOUSE:
        raise NotFound(f"there is no account {name!r}")
    return row


def _standing(row: Row) -> AccountStanding:
    return AccountStanding(
        id=row.id,
        name=row.name,
        role=row.role,
        created_at=row.created_at,
        banned_at=row.banned_at,
        ban_reason=row.ban_reason,
        own_limits=dict(row.allowance or {}),
    )
