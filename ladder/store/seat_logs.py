"""Statements about the logs of bots for their owners; only the newest are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from ladder.models import SeatLog
from ladder.store.database import Connection, Row
from ladder.values import LogQuota, MatchReport

BATCH = 100
"""Most logs that are removed when one is written; normally one, more after an upgrade."""

_REMOVE = sa.delete(SeatLog).where(
    SeatLog.match_id == sa.bindparam("m"), SeatLog.seat == sa.bindparam("s")
)


def add(
    c: Connection,
    reports: Sequence[MatchReport],
    seated: Mapping[int, Sequence[Row]],
    quota: LogQuota,
) -> None:
    """Keep the logs of matches that end, and as many older ones as the quota leaves.

    The cost does not grow with history: only the quota is read.
    """
    logs: list[dict[str, Any]] = [
        {
            "match_id": report.match_id,
            "seat": seat.seat,
            "complaint": report.seats[seat.seat].complaint,
            "stderr": report.seats[seat.seat].stderr,
            "bot_id": seat.bot_id,
            "account_id": seat.owner_id,
        }
        for report in reports
        for seat in seated[report.match_id]
        if report.seats[seat.seat].complaint or report.seats[seat.seat].stderr
    ]
    if not logs:
        return
    c.execute(sa.insert(SeatLog), logs)
    for owner, kept in ((SeatLog.bot_id, quota.per_bot), (SeatLog.account_id, quota.per_account)):
        for number in sorted({log[owner.key] for log in logs}):
            _trim(c, owner == number, kept)


def _trim(c: Connection, own: sa.ColumnElement[bool], kept: int) -> None:
    """Remove the oldest of these logs beyond `kept`, except rows locked by another process."""
    newest = sa.select(SeatLog.match_id).where(own).order_by(SeatLog.match_id.desc())
    last = c.scalar(newest.offset(kept).limit(1))
    if last is None:
        return
    query = (
        sa.select(SeatLog.match_id.label("m"), SeatLog.seat.label("s"))
        .where(own, SeatLog.match_id <= last)
        .order_by(SeatLog.match_id)
        .limit(BATCH)
        .with_for_update(skip_locked=True)
    )
    oldest = [{"m": row.m, "s": row.s} for row in c.execute(query)]
    if oldest:
        c.execute(_REMOVE, oldest)
