"""Temporary shortages differ from failures, and count against no match and no bot."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from ladder_steps import OWNER, account, lease, upload

from ladder.errors import NoSpace, RunnerFailure, Shortage, Unavailable
from ladder.host import disk_space
from ladder.matches import leasing
from ladder.matches.leasing import MOST_FAILURES
from ladder.models import Match
from ladder.store import Database, faults
from ladder.values import Fault, MatchStatus
from ladder.workers.pool import WorkerPool, failure


def run_out(number: int) -> None:
    raise RunnerFailure("the sandbox cannot be started") from OSError(number, os.strerror(number))


def crash() -> None:
    raise RunnerFailure("the sandbox cannot be started") from OSError(errno.EPERM, "no")


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    pool = WorkerPool(1, 30)
    yield pool
    pool.shutdown(cancel_futures=True)


def test_a_shortage_differs_from_a_failure_across_processes(pool: WorkerPool) -> None:
    for number in (errno.ENOSPC, errno.EMFILE, errno.ENOMEM):
        assert isinstance(pool.submit(run_out, number).exception(30), Shortage)
    failed = pool.submit(crash).exception(30)
    assert isinstance(failed, RunnerFailure)
    assert not isinstance(failed, Shortage)
    assert type(failure(EOFError(), "gone")) is RunnerFailure


def faults_of(db: Database, match_id: int) -> int:
    with db.read() as c:
        return faults.count(c, match_id, Fault.REFEREE)


def test_a_shortage_costs_a_match_no_attempt(db: Database) -> None:
    upload(db, account(db))
    for _ in range(5):
        (job,) = lease(db)
        leasing.give_up(db, OWNER, job, "no space left on device", counts=False)
    for broken in range(MOST_FAILURES[Fault.REFEREE]):
        (job,) = lease(db)
        assert faults_of(db, job.match_id) == broken
        leasing.give_up(db, OWNER, job, "it broke", Fault.REFEREE)
    with db.read() as c:
        row = c.execute(sa.select(Match).where(Match.id == job.match_id)).one()
    assert row.status is MatchStatus.PARKED


def test_space_runs_low_before_it_runs_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def is_low(total: int, free: int) -> bool:
        usage = SimpleNamespace(total=total, free=free)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
        return disk_space.is_low(tmp_path)

    assert is_low(10**12, 60 << 20)
    assert not is_low(10**12, 65 << 20)
    assert not is_low(40 << 20, 3 << 20)
    assert is_low(40 << 20, 1 << 20)
    monkeypatch.undo()
    assert not disk_space.is_low(tmp_path / "nowhere")


def test_a_full_database_says_so(sqlite_db: Database) -> None:
    with sqlite_db.engine.connect() as c:
        pages = c.exec_driver_sql("PRAGMA page_count").scalar_one()

    def limit(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA max_page_count={pages + 1}")

    sqlite_db.engine.dispose()
    sa.event.listen(sqlite_db.engine, "connect", limit)
    owner = account(sqlite_db)
    with pytest.raises(NoSpace):
        upload(sqlite_db, owner, code=b"# " + os.urandom(30_000).hex().encode())
    with sqlite_db.read() as c:
        queued = sa.select(sa.func.count()).where(Match.status == MatchStatus.QUEUED)
        assert c.scalar(queued) == 0, "a refused upload leaves no rows"


def test_a_lost_connection_is_temporary_and_a_wrong_statement_is_not(db: Database) -> None:
    with pytest.raises(sa.exc.DBAPIError), db.read() as c:
        c.exec_driver_sql("SELECT * FROM nothing_of_the_kind")
    if db.is_sqlite:
        return
    with pytest.raises(Unavailable, match="does not answer"), db.write() as c:
        c.exec_driver_sql("SELECT pg_terminate_backend(pg_backend_pid())")
    with db.read() as c:
        assert c.exec_driver_sql("SELECT 1").scalar() == 1, "it has a new connection"


def test_errors_show_no_parameters(db: Database) -> None:
    """Errors are logged, and parameters contain the code of users and hashes of tokens."""
    query = sa.text("SELECT * FROM nothing_of_the_kind WHERE x = :x")
    with pytest.raises(sa.exc.DBAPIError) as error, db.read() as c:
        c.execute(query, {"x": "hunter2"})
    assert "hunter2" not in str(error.value)
