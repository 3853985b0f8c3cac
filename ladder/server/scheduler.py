"""Runs leagues and evolution on time. The schedules are rows of the database; APScheduler only
wakes this thread.

Several servers may share a database: the leader does this work, and another server takes over
within seconds when the leader is gone. If two believe that they lead, the first to record a run has
it (`leagues.run_due`, `evolution.schedules.run_due`). Runs that were missed while no server ran are
made up for once.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime

from apscheduler.schedulers.asyncio import AsyncIOScheduler

from ladder.boards import leaderboards
from ladder.contests import leagues, tournaments
from ladder.evolution import schedules
from ladder.host.failures import log_failure
from ladder.store import Database
from ladder.store.leadership import Leadership
from ladder.views import LeagueView

log = logging.getLogger(__name__)

SYNC_SECONDS = 60
"""Seconds until a schedule changed elsewhere, or a finished league, is noticed."""

LEAD_SECONDS = 3
"""Seconds until another server takes over from a dead one."""

NUDGE_SECONDS = 10
"""Seconds until a due tournament begins."""


class Scheduler:
    def __init__(self, db: Database) -> None:
        self.db = db
        self.leadership = Leadership(db)
        self._scheduler = AsyncIOScheduler(
            timezone="UTC", job_defaults={"coalesce": True, "misfire_grace_time": None}
        )

    def start(self) -> None:
        self._scheduler.add_job(self.look_after, "interval", seconds=LEAD_SECONDS, id="lead")
        # Jobs report their failures; the library would also report jobs that a stop interrupts.
        logging.getLogger("apscheduler.executors").setLevel(logging.CRITICAL)
        self._scheduler.add_job(
            self.sync, "interval", seconds=SYNC_SECONDS, id="sync", next_run_time=datetime.now(UTC)
        )
        self._scheduler.add_job(self.nudge, "interval", seconds=NUDGE_SECONDS, id="nudge")
        self._scheduler.start()

    def stop(self) -> None:
        self._scheduler.shutdown(wait=False)
        self.leadership.release()

    async def _leads(self) -> bool:
        return await asyncio.to_thread(self.leadership.held)

    async def look_after(self) -> None:
        """Do the work of a leader at once after becoming one."""
        before = self.leadership.held_lately
        if await self._leads() and not before:
            log.info("this server now runs leagues, tournaments and schedules")
            await self.sync()

    async def sync(self) -> None:
        """Schedule every league by its current row, and make up for missed runs."""
        if not await self._leads():
            return
        try:
            found = (await asyncio.to_thread(leagues.all_leagues, self.db)).leagues
        except Exception as error:
            log_failure(log, "the leagues could not be read; they will be read again", error)
            return
        for league in found:
            self._wake_for(league)
            await self._run(league.id)
        await self._sync_evolution()
        await self.keep_day()

    async def keep_day(self) -> None:
        """Store the boards at the start of a day."""
        try:
            kept = await asyncio.to_thread(leaderboards.keep_day, self.db)
        except Exception as error:
            log_failure(
                log, "the boards of the day could not be kept; it will be tried again", error
            )
            return
        if kept:
            log.info("kept %d boards as the day begins", kept)

    def _wake_for(self, league: LeagueView) -> None:
        # Its own cron trigger would fire twice or more in the hour in which summer time ends.
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
        """The same for evolution. A schedule that follows a league has no time of its own and is
        checked regularly.
        """
        try:
            rows = await asyncio.to_thread(schedules.schedules, self.db)
        except Exception as error:
            log_failure(
                log, "the schedules of evolution could not be read; they will be read again", error
            )
            return
        for job in self._scheduler.get_jobs():
            if job.id.startswith("evolution-"):
                job.remove()  # its schedule may have been deleted
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
        if not await self._leads():
            return
        try:
            run_id = await asyncio.to_thread(schedules.run_due, self.db, schedule_id)
        except Exception as error:
            log_failure(
                log,
                f"schedule {schedule_id} of evolution failed; it will be tried again",
                error,
                schedule=schedule_id,
            )
            return
        if run_id is not None:
            about = {"schedule": schedule_id, "run": run_id}
            log.info("schedule %d of evolution queued run %d", schedule_id, run_id, extra=about)

    async def _run(self, league_id: int) -> None:
        if not await self._leads():
            return
        try:
            run = await asyncio.to_thread(leagues.run_due, self.db, league_id)
        except Exception as error:
            what = f"league {league_id} could not be run; it will be tried again"
            log_failure(log, what, error, league=league_id)
            return
        if run is not None:
            about = {"league": league_id, "tournament": run.id}
            log.info("league %d runs as tournament %d", league_id, run.id, extra=about)

    async def nudge(self) -> None:
        """Start tournaments that are due."""
        if not await self._leads():
            return
        try:
            started = await asyncio.to_thread(tournaments.carry_on, self.db)
        except Exception as error:
            log_failure(log, "tournaments could not be carried on; it will be tried again", error)
            return
        for tournament_id in started:
            log.info("tournament %d begins", tournament_id, extra={"tournament": tournament_id})
