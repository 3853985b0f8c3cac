"""Removes replays that are too many or too old while the server runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ladder.admin import retention
from ladder.host.failures import log_failure
from ladder.host.meters import Meters
from ladder.matches.replays import ReplayStore
from ladder.store import Database
from ladder.values import Retention

log = logging.getLogger(__name__)

LOOK_SECONDS = 60.0
REST_SECONDS = 0.5
"""Pause between two batches, in which finished matches are recorded."""


class ReplayCleaner:
    def __init__(
        self, db: Database, replays: ReplayStore, policy: Retention, meters: Meters
    ) -> None:
        self.db = db
        self.replays = replays
        self.policy = policy
        self.meters = meters

    async def tidy(self) -> int:
        """Remove all replays that are too many or too old; return their number."""
        retained = retention.Retained(self.db, self.replays, self.policy)
        await asyncio.to_thread(retained.remove_orphans)
        total = 0
        while True:
            excess = await asyncio.to_thread(retained.excess)
            batch = await asyncio.to_thread(retained.remove_some, excess)
            if not batch.matches:
                break
            total += batch.matches
            self.meters.count("ladder_replays_removed_total", batch.matches)
            self.meters.count("ladder_replay_bytes_removed_total", batch.bytes)
            await asyncio.sleep(REST_SECONDS)
        if total:
            log.info("removed the replays of %d old matches", total)
        return total

    async def _run(self) -> None:
        while True:
            try:
                await self.tidy()
            except Exception as error:
                log_failure(log, "old replays could not be removed; it will be tried again", error)
            await asyncio.sleep(LOOK_SECONDS)

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        if self.policy.keeps_all:
            yield
            return
        work = asyncio.create_task(self._run())
        try:
            yield
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
