"""Statements for admins: the queue, running matches, workers and failures."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from ladder.models import Failure, Match
from ladder.store.database import Connection, Row
from ladder.values import MatchStatus


def queue(c: Connection) -> Sequence[Row]:
    """Matches that wait, by purpose in the order in which they are leased, and game."""
    query = (
        sa.select(
            Match.priority,
            Match.purpose,
            Match.game,
            sa.func.count().label("number"),
            sa.func.min(Match.created_at).label("oldest"),
        )
        .where(Match.status == MatchStatus.QUEUED)
        .group_by(Match.priority, Match.purpose, Match.game)
        .order_by(Match.priority, Match.game)
    )
    return c.execute(query).all()


def running(c: Connection) -> Sequence[Row]:
    """Matches that are being played, oldest first."""
    query = sa.select(
        Match.id,
        Match.game,
        Match.purpose,
        Match.attempts,
        Match.lease_owner,
        Match.lease_until,
    )
    return c.execute(query.where(Match.status == MatchStatus.LEASED).order_by(Match.id)).all()


def _latest(limit: int) -> sa.Subquery:
    return (
        sa.select(Match.worker, Match.ending, Match.finished_at)
        .where(
            Match.finished_at.is_not(None)
        )  # with the index of the status, SQLite would sort all of them
        .order_by(Match.id.desc())
        .limit(limit)
        .subquery()
    )


def players(c: Connection, limit: int) -> Sequence[Row]:
    """The workers of the latest matches, how many each played, and when last."""
    latest = _latest(limit)
    query = sa.select(
        latest.c.worker,
        sa.func.count().label("number"),
        sa.func.max(latest.c.finished_at).label("last"),
    )
    return c.execute(query.where(latest.c.worker.is_not(None)).group_by(latest.c.worker)).all()


def endings(c: Connection, limit: int) -> Sequence[Row]:
    """The endings of the latest matches, the most frequent first."""
    latest = _latest(limit)
    query = sa.select(latest.c.ending, sa.func.count().label("number"))
    return c.execute(query.group_by(latest.c.ending).order_by(sa.desc("number"))).all()


def failures(c: Connection, since: datetime) -> Sequence[Row]:
    """Attempts that failed through our fault, by fault and worker."""
    query = (
        sa.select(
            Failure.fault,
            Failure.worker,
            sa.func.count().label("number"),
            sa.func.max(Failure.at).label("last"),
        )
        .where(Failure.at > since)
        .group_by(Failure.fault, Failure.worker)
        .order_by(sa.desc("number"))
        .limit(100)
    )
    return c.execute(query).all()
