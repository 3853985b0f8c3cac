"""One server leads, and another takes over when its connection is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from processes import wait_until

from ladder.contests import leagues
from ladder.models import League, Tournament
from ladder.server.scheduler import Scheduler
from ladder.settings import Settings
from ladder.store import Database
from ladder.store.database import now
from ladder.store.leadership import Leadership


@pytest.fixture
def other(db: Database) -> Iterator[Database]:
    """The same database, as another server sees it."""
    second = Database(db.url.render_as_string(hide_password=False))
    yield second
    second.close()


def end_leader(db: Database) -> None:
    """End the connection that holds the lock, as a failing machine would."""
    with db.read() as c:
        query = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
        assert c.exec_driver_sql(query).all() == [(True,)]


def locked(db: Database) -> bool:
    with db.read() as c:
        query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
        return bool(c.exec_driver_sql(query).scalar())


def test_another_server_takes_over(db: Database, other: Database) -> None:
    one, two = Leadership(db), Leadership(other)
    if db.is_sqlite:
        assert one.held()
        assert two.held(), "unique rows are enough there"
        return
    assert one.held()
    assert not two.held()
    assert one.held()
    end_leader(other)
    wait_until(two.held, 60, "the lock to be free")
    assert not one.held(), "it notices that it has lost the lock"
    assert not one.held()
    assert not one.held_lately
    two.release()
    assert one.held()
    one.release()


def test_only_the_leader_runs_leagues_and_its_successor_catches_up(
    db: Database, other: Database
) -> None:
    leagues.ensure_leagues(db, Settings())
    expected = len(leagues.all_leagues(db).leagues)

    def runs() -> int:
        with db.read() as c:
            return int(c.scalar(sa.select(sa.func.count()).select_from(Tournament)) or 0)

    async def story() -> None:
        first, second = Scheduler(db), Scheduler(other)
        await first.look_after()
        await second.look_after()
        with db.write() as c:
            c.execute(sa.update(League).values(created_at=now().replace(year=2020)))
        if not db.is_sqlite:
            await second.sync()
            await second.nudge()
            assert runs() == 0, "another server leads"
            end_leader(db)
            await asyncio.to_thread(wait_until, lambda: not locked(db), 30, "the lock to be free")
            await second.look_after()
        else:
            await second.sync()
        assert runs() == expected
        await first.sync()
        assert runs() == expected
        first.leadership.release()
        second.leadership.release()

    asyncio.run(story())
