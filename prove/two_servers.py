"""Two servers on one PostgreSQL run the nightly leagues of a week, each of them exactly once.

    python -m prove.two_servers [--day-seconds 15]

Each server is a process with the scheduler of `ladder serve` and a clock that runs a day in some
seconds; summer time ends in this week. One server is killed with -9 exactly when the leagues of a
night begin, and restarted days later. Then both are down for two nights: missed leagues must run
once afterwards. Half of the leagues begin at the same minute.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import apscheduler.executors.base
import apscheduler.schedulers.base
import apscheduler.triggers.interval
import sqlalchemy as sa
from apscheduler.schedulers.asyncio import AsyncIOScheduler

from engines.games import GAMES
from ladder.contests import leagues
from ladder.contests.schedules import Schedule
from ladder.models import League, Tournament
from ladder.server import scheduler
from ladder.server.scheduler import Scheduler
from ladder.settings import Settings
from ladder.store import Database, migrate
from ladder.store import database as clocks
from ladder.uploads import submissions
from tests.throwaway import postgres_server

START = datetime(2026, 10, 22, 12, tzinfo=UTC)
DAYS = 7
DAY = 86_400
OFTEN = (
    ("early", "0 3 * * *", "UTC"),
    ("berlin", "30 2 * * *", "Europe/Berlin"),
    ("sunday", "0 18 * * sun", "America/New_York"),
)
SIZE = 4


@dataclass(frozen=True)
class FastClock:
    """A clock that shows `START` at `began`, and runs faster than real time."""

    began: float
    day_seconds: float

    def now(self) -> datetime:
        return START + timedelta(days=(time.time() - self.began) / self.day_seconds)

    def sleep_until(self, moment: datetime) -> None:
        time.sleep(max(0.0, (moment - self.now()) / timedelta(days=1) * self.day_seconds))

    def install(self) -> None:
        """Make this process use it, also for waiting."""
        now, speed = self.now, DAY / self.day_seconds

        class Fast(datetime):
            @classmethod
            def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
                return now().astimezone(tz)

        was = clocks.now
        for module in list(sys.modules.values()):
            if getattr(module, "now", None) is was:
                module.now = now  # type: ignore[attr-defined]
        for part in (
            apscheduler.schedulers.base,
            apscheduler.executors.base,
            scheduler,
            apscheduler.triggers.interval,
        ):
            part.datetime = Fast  # type: ignore[union-attr]
        start_timer = AsyncIOScheduler._start_timer
        AsyncIOScheduler._start_timer = lambda self, seconds: start_timer(
            self, None if seconds is None else seconds / speed
        )
        # With a check per minute, a week would take ten thousand checks.
        scheduler.SYNC_SECONDS, scheduler.NUDGE_SECONDS = DAY // 4, DAY // 8


def make_leagues(db: Database) -> None:
    leagues.ensure_leagues(db, Settings(league_size=SIZE))
    for name, cron, timezone in OFTEN:
        leagues.create_league(
            db, leagues.NewLeague(GAMES[0].name, name, "open", cron, timezone, SIZE)
        )


async def serve(url: str) -> None:
    logging.getLogger("apscheduler").setLevel(logging.CRITICAL)  # ignore its warnings about delays
    db = Database(url)
    ours = Scheduler(db)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    ours.start()
    await asyncio.to_thread(sys.stdin.read)
    ours.stop()
    db.close()


class ServerProcess:
    def __init__(self, url: str, clock: FastClock) -> None:
        self._command = [
            sys.executable,
            "-m",
            "prove.two_servers",
            "--serve",
            url,
            "--began",
            str(clock.began),
            "--day-seconds",
            str(clock.day_seconds),
        ]
        self.load()

    def load(self) -> None:
        """Start a process in advance: its start takes hours of the fast clock."""
        self.process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"ready\n"

    def start(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def stop(self) -> None:
        self.process.communicate(timeout=60)


def expected(row: Any, away: tuple[datetime, datetime], end: datetime) -> list[datetime]:
    """The expected runs of a league; after a downtime, only the last missed one."""
    schedule, slots = Schedule(row.cron, row.timezone), list[datetime]()
    slot = schedule.next(row.created_at)
    while slot is not None and slot <= end:
        slots.append(slot)
        slot = schedule.next(slot)
    missed = [slot for slot in slots if away[0] < slot <= away[1]]
    return [slot for slot in slots if slot not in missed[:-1]]


def run_week(url: str, clock: FastClock) -> tuple[datetime, datetime]:
    """The time without a server, as start and end."""

    def at(day: int, hour: float) -> datetime:
        return START.replace(hour=0) + timedelta(days=day, hours=hour)

    one, two = ServerProcess(url, clock), ServerProcess(url, clock)
    one.start()
    two.start()
    clock.sleep_until(at(2, 3))  # the leagues of this night are starting
    two.kill()
    print(f"{clock.now():%a %H:%M}: one server killed while the leagues of a night begin")
    two.load()
    clock.sleep_until(at(3, 12))
    two.start()
    print(f"{clock.now():%a %H:%M}: started again")
    clock.sleep_until(at(4, 12))
    one.kill()
    two.kill()
    gone = clock.now()
    print(f"{gone:%a %H:%M}: both killed")
    one.load()
    two.load()
    clock.sleep_until(at(6, 9))
    back = clock.now()
    one.start()
    two.start()
    print(f"{clock.now():%a %H:%M}: both started again, after two nights")
    clock.sleep_until(START + timedelta(days=DAYS))
    one.stop()
    two.stop()
    return gone, back


def check(db: Database, away: tuple[datetime, datetime], end: datetime) -> list[str]:
    wrong = []
    with db.read() as c:
        for row in c.execute(sa.select(League).order_by(League.id)).all():
            ran = list(
                c.scalars(
                    sa.select(Tournament.scheduled_for)
                    .where(Tournament.league_id == row.id)
                    .order_by(Tournament.scheduled_for)
                )
            )
            wanted = expected(row, away, end)
            if ran != wanted:
                wrong.append(f"{row.game} {row.name} ran at {ran}, wanted {wanted}")
            twice = [slot for slot, count in Counter(ran).items() if count > 1]
            wrong += [f"{row.game} {row.name} ran twice for {slot}" for slot in twice]
        runs = c.scalar(sa.select(sa.func.count()).select_from(Tournament))
        count = c.scalar(sa.select(sa.func.count()).select_from(League))
    print(f"{count} leagues had {runs} runs")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--day-seconds", type=float, default=15.0)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--began", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        FastClock(options.began, options.day_seconds).install()
        asyncio.run(serve(options.serve))
        return
    with postgres_server() as server:
        url = server.format(name="postgres")
        db = Database(url)
        migrate.upgrade(db)
        submissions.seed_house_bots(db)
        clock = FastClock(time.time(), options.day_seconds)
        clock.install()
        make_leagues(db)
        away = run_week(url, clock)
        wrong = check(db, away, START + timedelta(days=DAYS))
        db.close()
    if wrong:
        raise SystemExit("\n".join(wrong))
    print("every league ran exactly once for every time, and once for those that were missed")


if __name__ == "__main__":
    main()
