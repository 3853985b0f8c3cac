"""Runs leagues on time. The schedules are rows of the database; APScheduler only wakes us.

Several servers may share a database: each wakes up, and whoever records a league's run first has
it (`tournaments.run_due`). What was missed while no server ran is caught up once.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from ladder import tournaments
from ladder.settings import check_schedule
from ladder.store import Database

log = logging.getLogger(__name__)

SYNC_SECONDS = 60
"""How soon a league that was created or changed elsewhere is noticed."""


class LeagueScheduler:
    def __init__(self, db: Database) -> None:
        self.db = db
        self._scheduler = AsyncIOScheduler(
            timezone="UTC", job_defaults={"coalesce": True, "misfire_grace_time": None}
        )

    def start(self) -> None:
        self._scheduler.add_job(
            self.sync, "interval", seconds=SYNC_SECONDS, id="sync", next_run_time=datetime.now(UTC)
        )
        self._scheduler.start()

    def stop(self) -> None:
        self._scheduler.shutdown(wait=False)

    async def sync(self) -> None:
        """Schedule every league as its row says now, and catch up with what was missed."""
        try:
            leagues = (await asyncio.to_thread(tournaments.leagues, self.db)).leagues
        except Exception:
            log.exception("the leagues could not be read; they will be read again")
            return
        for league in leagues:
            self._scheduler.add_job(
                self._run,
                check_schedule(league.cron, league.timezone),
                args=[league.id],
                id=f"league-{league.id}",
                replace_existing=True,
            )
            await self._run(league.id)

    async def _run(self, league_id: int) -> None:
        try:
            run = await asyncio.to_thread(tournaments.run_due, self.db, league_id)
        except Exception:
            log.exception("league %d could not be run; it will be tried again", league_id)
            return
        if run is not None:
            log.info("league %d runs as tournament %d", league_id, run.id)
