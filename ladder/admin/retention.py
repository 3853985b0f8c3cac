"""The use case of retention: removes replays and logs of old matches, never results and ratings.

A pack of replays is removed as a whole, and costs the same for any number of replays; those with
files of their own, written by earlier releases, go in batches. The cost does not grow with history.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta

from ladder.matches.replays import ReplayStore
from ladder.store import Connection, Database, replay_packs, retention
from ladder.store.database import Row, now
from ladder.values import Interest, Retention

BATCH = 200
"""Files removed in one transaction, for which others wait on SQLite."""

ORPHAN_SECONDS = 3600
"""Age of a pack that no match refers to, at which it is removed: its first transaction failed."""

_NO_TOURNAMENTS = (Interest.HOUSE, Interest.LADDER)


@dataclass(frozen=True, slots=True)
class Removed:
    matches: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Excess:
    """Bytes of replays beyond each limit."""

    house: int = 0
    """Of matches between house bots."""
    megabytes: int = 0
    """Beyond the setting; those of tournaments stay."""
    share: int = 0
    """Beyond the share of the disk; those of tournaments go last."""


class Retained:
    """The replays in a folder, in the order in which they go, and the space that they take."""

    def __init__(self, db: Database, replays: ReplayStore, policy: Retention) -> None:
        self.db = db
        self.replays = replays
        self.policy = policy

    def excess(self) -> Excess:
        """What is too much now. The sum over single files takes a moment."""
        with self.db.read() as c:
            single = retention.kept_bytes(c)
        here = self._packs_here()
        total = single + sum(row.bytes for row in here)
        house = sum(row.bytes for row in here if row.interest is Interest.HOUSE)
        policy = self.policy
        share = 0
        if policy.percent and self.replays.folder.exists():
            space = shutil.disk_usage(self.replays.folder).free + total
            share = total - space * policy.percent // 100
        return Excess(
            house=house - policy.house_megabytes * 2**20 if policy.house_megabytes else 0,
            megabytes=total - policy.megabytes * 2**20 if policy.megabytes else 0,
            share=share,
        )

    def remove_some(self, excess: Excess = Excess()) -> Removed:  # noqa: B008 - frozen
        """Remove a pack or a batch of files; returns an empty result when nothing is left."""
        for step in self._steps(excess):
            removed = step()
            if removed.matches:
                return removed
        return Removed()

    def _steps(self, excess: Excess) -> Iterator[Callable[[], Removed]]:
        """The least interesting first, and the oldest of them."""
        policy = self.policy
        yield lambda: self._remove_files(policy.days, of_tournaments=False)
        yield lambda: self._remove_files(policy.tournament_days, of_tournaments=True)
        yield lambda: self._remove_old_pack(policy.days, _NO_TOURNAMENTS)
        yield lambda: self._remove_old_pack(policy.tournament_days, [Interest.TOURNAMENT])
        spare = max(excess.megabytes, excess.share)
        if max(excess.house, spare) > 0:
            yield lambda: self._remove_pack([Interest.HOUSE])
        if spare > 0:
            yield lambda: self._remove_bytes(spare, of_tournaments=False)
            yield lambda: self._remove_pack([Interest.LADDER])
        if excess.share > 0:
            yield lambda: self._remove_bytes(excess.share, of_tournaments=True)
            yield lambda: self._remove_pack([Interest.TOURNAMENT])

    def _packs_here(self) -> list[Row]:
        """The packs in this folder, the oldest first; another folder may have others."""
        sizes = self.replays.sizes()
        with self.db.read() as c:
            return [row for row in replay_packs.packs(c) if row.id in sizes]

    def _remove_old_pack(self, days: int, interests: Collection[Interest]) -> Removed:
        if not days:
            return Removed()
        before = now() - timedelta(days=days)
        return self._remove_pack(interests, lambda row: row.newest_at < before)

    def _remove_pack(
        self, interests: Collection[Interest], wanted: Callable[[Row], bool] = lambda _: True
    ) -> Removed:
        """Remove the oldest of these packs to which nobody appends."""
        for row in self._packs_here():
            if row.interest not in interests or not wanted(row):
                continue
            with self.replays.claimed(row.id) as path:
                if path is None:
                    continue
                with self.db.write() as c:
                    found = replay_packs.remove(c, row.id)
                    if found is None:
                        continue
                    retention.remove_logs(c, self.replays.matches_in(path))
                # After the commit: a crash here leaves a file that no match refers to.
                path.unlink(missing_ok=True)
                return Removed(found.replays, found.bytes)
        return Removed()

    def remove_orphans(self) -> int:
        """Remove packs that no match refers to; return their number."""
        with self.db.read() as c:
            known = {row.id for row in replay_packs.packs(c)}
        count = 0
        for pack_id in self.replays.sizes().keys() - known:
            with self.replays.claimed(pack_id) as path:
                if path and path.stat().st_mtime < now().timestamp() - ORPHAN_SECONDS:
                    path.unlink(missing_ok=True)
                    count += 1
        return count

    def _remove_files(self, days: int, *, of_tournaments: bool) -> Removed:
        if not days:
            return Removed()
        before = now() - timedelta(days=days)
        with self.db.write() as c:
            rows = retention.oldest(c, of_tournaments=of_tournaments, before=before, limit=BATCH)
            return self._remove(c, {row.id: row.replay_bytes or 0 for row in rows})

    def _remove_bytes(self, spare: int, *, of_tournaments: bool) -> Removed:
        chosen: dict[int, int] = {}
        with self.db.write() as c:
            rows = retention.oldest(c, of_tournaments=of_tournaments, before=None, limit=BATCH)
            for row in rows:
                if sum(chosen.values()) >= spare:
                    break
                chosen[row.id] = row.replay_bytes or 0
            return self._remove(c, chosen)

    def _remove(self, c: Connection, sizes: dict[int, int]) -> Removed:
        if sizes:
            retention.mark_removed(c, list(sizes))
        # Before the commit: after a crash here they are found again, and no file is left over.
        for match_id in sizes:
            self.replays.remove(match_id)
        return Removed(len(sizes), sum(sizes.values()))
