"""The use case of retention: removes replays and logs of old matches, never results and ratings.

It removes a batch at a time, found by partial indexes of the stored replays: the cost does not grow
with history.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from ladder.matches.replays import ReplayStore
from ladder.store import Connection, Database, retention
from ladder.store.database import now
from ladder.values import Retention

BATCH = 200
"""Files removed in one transaction, for which others wait on SQLite."""


@dataclass(frozen=True, slots=True)
class Removed:
    matches: int = 0
    bytes: int = 0


def spare_bytes(db: Database, policy: Retention) -> int:
    """Bytes of replays beyond the limit. The sum takes a moment."""
    if not policy.megabytes:
        return 0
    with db.read() as c:
        return max(0, retention.kept_bytes(c) - policy.megabytes * 2**20)


def remove_some(db: Database, replays: ReplayStore, policy: Retention, spare: int = 0) -> Removed:
    """Remove the oldest replays beyond their age, and `spare` bytes of the ladder's.

    Returns an empty result when nothing is left to remove.
    """
    with db.write() as c:
        return (
            _remove_older(c, replays, policy.days, of_tournaments=False)
            or _remove_older(c, replays, policy.tournament_days, of_tournaments=True)
            or _remove_bytes(c, replays, spare)
            or Removed()
        )


def _remove_older(
    c: Connection, replays: ReplayStore, days: int, *, of_tournaments: bool
) -> Removed | None:
    if not days:
        return None
    before = now() - timedelta(days=days)
    rows = retention.oldest(c, of_tournaments=of_tournaments, before=before, limit=BATCH)
    return _remove(c, replays, {row.id: row.replay_bytes or 0 for row in rows})


def _remove_bytes(c: Connection, replays: ReplayStore, spare: int) -> Removed | None:
    chosen: dict[int, int] = {}
    if spare:
        for row in retention.oldest(c, of_tournaments=False, before=None, limit=BATCH):
            if sum(chosen.values()) >= spare:
                break
            chosen[row.id] = row.replay_bytes or 0
    return _remove(c, replays, chosen)


def _remove(c: Connection, replays: ReplayStore, sizes: dict[int, int]) -> Removed | None:
    if not sizes:
        return None
    retention.mark_removed(c, list(sizes))
    # Before the commit: after a crash here they are found again, and nothing is left on the disk.
    for match_id in sizes:
        replays.remove(match_id)
    return Removed(len(sizes), sum(sizes.values()))
