from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from ladder import evolution
from ladder.contests import leagues, tournaments
from ladder.contests.tournaments import NewTournament, Selection
from ladder.evolution import schedules
from ladder.models import EvolutionRun, EvolutionSchedule, League, Tournament
from ladder.server.scheduler import Scheduler
from ladder.settings import Settings
from ladder.store import Database
from ladder.store.database import now
from ladder.store.migrate import upgrade
from ladder.uploads import submissions
from ladder.values import TournamentStatus


def _runs(db: Database) -> int:
    with db.read() as c:
        return int(c.scalar(sa.select(sa.func.count()).select_from(Tournament)) or 0)


def _jobs(scheduler: Scheduler) -> list[str]:
    return [job.id for job in scheduler._scheduler.get_jobs()]


def test_two_schedulers_catch_up_on_a_missed_night_once(db: Database) -> None:
    leagues.ensure_leagues(db, Settings())
    with db.write() as c:
        c.execute(sa.update(League).values(created_at=now() - timedelta(days=3)))
    expected = len(leagues.all_leagues(db).leagues)

    async def start_both() -> None:
        schedulers = [Scheduler(db), Scheduler(db)]
        for scheduler in schedulers:
            scheduler.start()
        await asyncio.gather(*(scheduler.sync() for scheduler in schedulers))
        for _ in range(100):
            if _runs(db) >= expected:
                break
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.3)
        for scheduler in schedulers:
            scheduler.stop()

    asyncio.run(start_both())
    assert _runs(db) == expected > 1


def test_a_league_fires_at_its_time(sqlite_db: Database) -> None:
    """A schedule that fires every minute runs within a minute, once per time it fires."""
    leagues.create_league(
        sqlite_db, leagues.NewLeague("reversi", "often", "open", "* * * * *", "UTC", 2)
    )
    with sqlite_db.write() as c:
        c.execute(sa.update(League).values(created_at=now() - timedelta(seconds=90)))

    async def run_twice() -> None:
        scheduler = Scheduler(sqlite_db)
        scheduler.start()
        await scheduler.sync()
        await scheduler.sync()
        scheduler.stop()

    asyncio.run(run_twice())
    with sqlite_db.read() as c:
        slots = list(c.scalars(sa.select(Tournament.scheduled_for)))
    assert 1 <= len(slots) <= 2, "two runs only if a minute ended during the test"
    assert all(slot.second == 0 for slot in slots)


def test_two_schedulers_queue_a_nights_evolution_once(db: Database) -> None:
    schedules.schedule(db, evolution.RunRequest("tanks"), cron="0 4 * * *")
    with db.write() as c:
        c.execute(sa.update(EvolutionSchedule).values(created_at=now() - timedelta(days=3)))

    async def sync_both() -> None:
        schedulers = [Scheduler(db), Scheduler(db)]
        await asyncio.gather(*(scheduler.sync() for scheduler in schedulers))
        leader = next(one for one in schedulers if one.leadership.held())
        assert _jobs(leader) == ["evolution-1"]
        schedules.unschedule(db, "tanks")
        await leader.sync()
        assert _jobs(leader) == []
        leader.leadership.release()

    asyncio.run(sync_both())
    with db.read() as c:
        (slot,) = c.scalars(sa.select(EvolutionRun.scheduled_for))
    assert slot is not None
    assert slot.hour == 4


def test_a_tournament_starts_at_its_time_also_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ladder.server.scheduler.NUDGE_SECONDS", 0.05)
    address = f"sqlite:///{tmp_path / 'ladder.db'}"

    async def serve(db: Database, turns: int) -> TournamentStatus:
        """The status after a server has run until it began, or for some turns."""
        scheduler = Scheduler(db)
        scheduler.start()
        for _ in range(turns):
            await asyncio.sleep(0.05)
            if tournaments.tournament(db, 1).status is not TournamentStatus.PENDING:
                break
        scheduler.stop()
        return tournaments.tournament(db, 1).status

    first = Database(address)
    upgrade(first)
    submissions.seed_house_bots(first)
    later = now() + timedelta(hours=1)
    new = NewTournament("reversi", "round-robin", Selection(top=3), starts_at=later)
    assert tournaments.create(first, new, actor="root").id == 1
    assert asyncio.run(serve(first, 10)) is TournamentStatus.PENDING
    with first.write() as c:  # an hour passes while no server runs
        c.execute(sa.update(Tournament).values(scheduled_for=now()))
    first.close()
    second = Database(address)
    assert asyncio.run(serve(second, 400)) is TournamentStatus.RUNNING
    assert tournaments.tournament(second, 1).rounds_made >= 1
    second.close()
