"""Statements about our own faults: failed attempts, parked matches, quarantined workers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from ladder.models import (
    Account,
    AdminAction,
    Bot,
    Failure,
    Match,
    Quarantine,
    ReplayPack,
    Seat,
)
from ladder.store.database import Connection, Row, now
from ladder.store.match_moves import move
from ladder.values import Fault, MatchStatus, full_name


def insert_failure(
    c: Connection,
    match_id: int,
    attempt: int,
    worker: str,
    fault: Fault,
    trouble: str,
) -> None:
    c.execute(
        sa.insert(Failure).values(
            match_id=match_id,
            attempt=attempt,
            at=now(),
            worker=worker,
            fault=fault,
            trouble=trouble,
        )
    )


def count(c: Connection, match_id: int, fault: Fault) -> int:
    """The number of such failures of a match since an admin last requeued it."""
    requeued = (
        sa.select(sa.func.max(AdminAction.at))
        .where(
            AdminAction.target == "match",
            AdminAction.target_id == match_id,
            AdminAction.action == "requeue",
        )
        .scalar_subquery()
    )
    query = sa.select(sa.func.count()).where(
        Failure.match_id == match_id,
        Failure.fault == fault,
        sa.or_(requeued.is_(None), Failure.at > requeued),
    )
    return int(c.scalar(query) or 0)


def failures(c: Connection, match_ids: Sequence[int]) -> dict[int, list[Row]]:
    """By match, oldest first."""
    query = sa.select(Failure).where(Failure.match_id.in_(match_ids)).order_by(Failure.at)
    found: dict[int, list[Row]] = {}
    for row in c.execute(query):
        found.setdefault(row.match_id, []).append(row)
    return found


def parked(c: Connection, limit: int) -> Sequence[Row]:
    query = sa.select(Match).where(Match.status == MatchStatus.PARKED)
    return c.execute(query.order_by(Match.id).limit(limit)).all()


def names(c: Connection, match_ids: Sequence[int]) -> dict[int, list[str]]:
    """The full names of the bots of matches, in the order of the seats."""
    query = (
        sa.select(Seat.match_id, Bot.name, Account.name.label("owner"))
        .join(Bot, Bot.id == Seat.bot_id)
        .join(Account, Account.id == Bot.owner_id)
        .where(Seat.match_id.in_(match_ids))
        .order_by(Seat.match_id, Seat.seat)
    )
    found: dict[int, list[str]] = {}
    for row in c.execute(query):
        found.setdefault(row.match_id, []).append(full_name(row.owner, row.name))
    return found


def move_parked(c: Connection, match_id: int, status: MatchStatus) -> bool:
    """Requeue a parked match with all its attempts left, or cancel it."""
    statement = move(MatchStatus.PARKED, to=status).where(Match.id == match_id).values(attempts=0)
    return c.execute(statement).rowcount == 1


def quarantines(c: Connection) -> Sequence[Row]:
    return c.execute(sa.select(Quarantine).order_by(Quarantine.since)).all()


def in_quarantine(c: Connection, worker: str) -> bool:
    return c.scalar(_QUARANTINED, {"worker": worker}) is not None


_QUARANTINED = sa.select(Quarantine.since).where(Quarantine.worker == sa.bindparam("worker"))


def insert_quarantine(c: Connection, worker: str, at: datetime, match_id: int, reason: str) -> bool:
    """Quarantine a worker; return whether it was not in quarantine before."""
    row = sa.insert(Quarantine).values(worker=worker, since=at, match_id=match_id, reason=reason)
    try:
        with c.begin_nested():
            c.execute(row)
    except sa.exc.IntegrityError:
        return False
    return True


def delete_quarantine(c: Connection, worker: str) -> bool:
    return c.execute(sa.delete(Quarantine).where(Quarantine.worker == worker)).rowcount == 1


def finished_ids(c: Connection, game: str | None, above: int, limit: int) -> list[int]:
    """Finished matches in the order of their ids, except those without replays."""
    query = (
        sa.select(Match.id)
        .where(
            Match.status == MatchStatus.FINISHED,
            sa.or_(
                sa.and_(Match.pack_id.is_(None), Match.replay_removed.is_(False)),
                sa.exists().where(ReplayPack.id == Match.pack_id),
            ),
            Match.id > above,
        )
        .order_by(Match.id)
        .limit(limit)
    )
    if game is not None:
        query = query.where(Match.game == game)
    return list(c.scalars(query))
