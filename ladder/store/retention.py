"""Statements about replays that are old enough to remove."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from ladder.models import Match, SeatLog, UTCDateTime
from ladder.models.matches import KEPT_LADDER, KEPT_TOURNAMENT
from ladder.store.database import Connection, Row

_MOST_VALUES = 10_000
"""Most values of a statement; SQLite allows 32,766."""

_ID, _BYTES = sa.column("id", sa.Integer()), sa.column("replay_bytes", sa.Integer())
_FINISHED = sa.column("finished_at", UTCDateTime())


def oldest(
    c: Connection, *, of_tournaments: bool, before: datetime | None, limit: int
) -> Sequence[Row]:
    """Matches with replays, oldest first; rows that another process has locked are left out."""
    query = (
        _kept(c, of_tournaments, _ID, _BYTES)
        .order_by(_FINISHED, _ID)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    if before is not None:
        query = query.where(before > _FINISHED)
    return c.execute(query).all()


def kept_bytes(c: Connection) -> int:
    """Size of all replays that are kept and whose size is known, read off the indexes."""
    sizes = (_kept(c, of_tournaments, sa.func.sum(_BYTES)) for of_tournaments in (False, True))
    return sum(int(c.scalar(query) or 0) for query in sizes)


def _kept(
    c: Connection, of_tournaments: bool, *columns: sa.ColumnElement[int]
) -> sa.Select[*tuple[int, ...]]:
    """Read the partial index of exactly these rows.

    The condition is literal, or SQLite would not use the partial index; the index is named, because
    SQLite would prefer another one and sort a million rows.
    """
    index = "ix_matches_tournament_replays" if of_tournaments else "ix_matches_ladder_replays"
    told = f" INDEXED BY {index}" if c.dialect.name == "sqlite" else ""
    condition = KEPT_TOURNAMENT if of_tournaments else KEPT_LADDER
    return sa.select(*columns).select_from(sa.text(f"matches{told}")).where(sa.text(condition))


def mark_removed(c: Connection, match_ids: Sequence[int]) -> None:
    remove_logs(c, match_ids)
    c.execute(sa.update(Match).where(Match.id.in_(match_ids)).values(replay_removed=True))


def remove_logs(c: Connection, match_ids: Sequence[int]) -> None:
    for first in range(0, len(match_ids), _MOST_VALUES):
        some = match_ids[first : first + _MOST_VALUES]
        c.execute(sa.delete(SeatLog).where(SeatLog.match_id.in_(some)))
