"""Runs leagues and evolution on time. The schedules are rows of the database; APScheduler only
wakes us.

Several servers may share a database: each wakes up, and whoever records a run first has it
(`tournaments.run_due`, `evolution.schedules.run_due`). What was missed while no server ran is
caught up once.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from ladder import tournaments
from ladder.evolution import schedules
from ladder.settings import check_schedule
from ladder.store import Database

log = logging.getLogger(__name__)

SYNC_SECONDS = 60
"""How soon a schedule that was changed elsewhere, or a league that is over, is noticed."""


class Scheduler:
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
        await self._sync_evolution()

    async def _sync_evolution(self) -> None:
        """The same for evolution. What follows a league has no time of its own: it is looked at."""
        try:
            rows = await asyncio.to_thread(schedules.schedules, self.db)
        except Exception:
            log.exception("the schedules of evolution could not be read; they will be read again")
            return
        for job in self._scheduler.get_jobs():
            if job.id.startswith("evolution-"):
                job.remove()  # its schedule may be gone
        for schedule in rows:
            if schedule.cron is not None:
                self._scheduler.add_job(
                    self._evolve,
                    check_schedule(schedule.cron, schedule.timezone),
                    args=[schedule.id],
                    id=f"evolution-{schedule.id}",
                    replace_existing=True,
                )
            await self._evolve(schedule.id)

    async def _evolve(self, schedule_id: int) -> None:
        try:
            run_id = await asyncio.to_thread(schedules.run_due, self.db, schedule_id)
        except Exception:
            log.exception("schedule %d of evolution failed; it will be tried again", schedule_id)
            return
        if run_id is not None:
            log.info("schedule %d of evolution queued run %d", schedule_id, run_id)

    async def _run(self, league_id: int) -> None:
        try:
            run = await asyncio.to_thread(tournaments.run_due, self.db, league_id)
        except Exception:
            log.exception("league %d could not be run; it will be tried again", league_id)
            return
        if run is not None:
            log.info("league %d runs as tournament %d", league_id, run.id)
