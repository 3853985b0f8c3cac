"""Runs leagues and evolution on time. The schedules are rows of the database; APScheduler only
wakes us.

Several servers may share a database: each wakes up, and whoever records a run first has it
(`leagues.run_due`, `evolution.schedules.run_due`). What was missed while no server ran is
caught up once.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from ladder import leagues, tournaments
from ladder.complaints import complain
from ladder.evolution import schedules
from ladder.store import Database
from ladder.views import LeagueView

log = logging.getLogger(__name__)

SYNC_SECONDS = 60
"""How soon a schedule that was changed elsewhere, or a league that is over, is noticed."""

NUDGE_SECONDS = 10
"""How soon a tournament that waits for its time begins."""


class Scheduler:
    def __init__(self, db: Database) -> None:
        self.db = db
        self._scheduler = AsyncIOScheduler(
            timezone="UTC", job_defaults={"coalesce": True, "misfire_grace_time": None}
        )

    def start(self) -> None:
        # Jobs report what fails; the library would also report what a stop cuts off.
        logging.getLogger("apscheduler.executors").setLevel(logging.CRITICAL)
        self._scheduler.add_job(
            self.sync, "interval", seconds=SYNC_SECONDS, id="sync", next_run_time=datetime.now(UTC)
        )
        self._scheduler.add_job(self.nudge, "interval", seconds=NUDGE_SECONDS, id="nudge")
        self._scheduler.start()

    def stop(self) -> None:
        self._scheduler.shutdown(wait=False)

    async def sync(self) -> None:
        """Schedule every league as its row says now, and catch up with what was missed."""
        try:
            found = (await asyncio.to_thread(leagues.all_leagues, self.db)).leagues
        except Exception as error:
            complain(log, "the leagues could not be read; they will be read again", error)
            return
        for league in found:
            self._wake_for(league)
            await self._run(league.id)
        await self._sync_evolution()

    def _wake_for(self, league: LeagueView) -> None:
        # Its own cron trigger would fire twice, and more, in the hour that summer time ends.
        if league.next_run is not None:
            self._scheduler.add_job(
                self._run,
                "date",
                run_date=league.next_run,
                args=[league.id],
                id=f"league-{league.id}",
                replace_existing=True,
            )

    async def _sync_evolution(self) -> None:
        """The same for evolution. What follows a league has no time of its own: it is looked at."""
        try:
            rows = await asyncio.to_thread(schedules.schedules, self.db)
        except Exception as error:
            complain(
                log, "the schedules of evolution could not be read; they will be read again", error
            )
            return
        for job in self._scheduler.get_jobs():
            if job.id.startswith("evolution-"):
                job.remove()  # its schedule may be gone
        for schedule in rows:
            if schedule.next_run is not None:
                self._scheduler.add_job(
                    self._evolve,
                    "date",
                    run_date=schedule.next_run,
                    args=[schedule.id],
                    id=f"evolution-{schedule.id}",
                    replace_existing=True,
                )
            await self._evolve(schedule.id)

    async def _evolve(self, schedule_id: int) -> None:
        try:
            run_id = await asyncio.to_thread(schedules.run_due, self.db, schedule_id)
        except Exception as error:
            complain(
                log, f"schedule {schedule_id} of evolution failed; it will be tried again", error
            )
            return
        if run_id is not None:
            log.info("schedule %d of evolution queued run %d", schedule_id, run_id)

    async def _run(self, league_id: int) -> None:
        try:
            run = await asyncio.to_thread(leagues.run_due, self.db, league_id)
        except Exception as error:
            complain(log, f"league {league_id} could not be run; it will be tried again", error)
            return
        if run is not None:
            log.info("league %d runs as tournament %d", league_id, run.id)

    async def nudge(self) -> None:
        """Start tournaments whose time has come."""
        try:
            started = await asyncio.to_thread(tournaments.carry_on, self.db)
        except Exception as error:
            complain(log, "tournaments could not be carried on; it will be tried again", error)
            return
        for tournament_id in started:
            log.info("tournament %d begins", tournament_id)
