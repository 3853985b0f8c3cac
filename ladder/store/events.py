"""Statements about events: noted while a transaction runs, written at its end.

On PostgreSQL writers wait for each other from this write until they commit. So the numbers of
events follow the order of commits, and a reader that has read up to a number has missed nothing
before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from ladder.models import LiveEvent

KEPT = 5_000
"""A reader that missed more events than this must load the page again."""

CHANNEL = "ladder_events"
_NOTED = "ladder events"
_ORDER = 0xE7E7
_PRUNED_EVERY = 256


def begin(c: Connection) -> None:
    c.info[_NOTED] = []


def note(c: Connection, topics: Sequence[str], data: str) -> None:
    """Write an event if the transaction of `c` commits."""
    c.info[_NOTED].append({"topics": " ".join(topics), "data": data})


def flush(c: Connection) -> None:
    noted: list[dict[str, Any]] = c.info.pop(_NOTED)
    if not noted:
        return
    if c.dialect.name != "sqlite":
        c.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ORDER})")
        c.exec_driver_sql(f"SELECT pg_notify('{CHANNEL}', '')")
    c.execute(_INSERT, noted)
    last = newest(c)
    if last % _PRUNED_EVERY < len(noted):
        c.execute(sa.delete(LiveEvent).where(LiveEvent.id <= last - KEPT))


_INSERT = sa.insert(LiveEvent)
_NEWEST = sa.select(sa.func.max(LiveEvent.id))
_SINCE = (
    sa.select(LiveEvent.id, LiveEvent.topics, LiveEvent.data)
    .where(LiveEvent.id > sa.bindparam("after"))
    .order_by(LiveEvent.id)
    .limit(sa.bindparam("most"))
)


def newest(c: Connection) -> int:
    return int(c.scalar(_NEWEST) or 0)


def since(c: Connection, after: int, limit: int) -> list[tuple[int, str, str]]:
    """Number, topics and data of events with numbers above `after`, oldest first."""
    values = {"after": after, "most": limit}
    return [(row[0], row[1], row[2]) for row in c.execute(_SINCE, values)]
