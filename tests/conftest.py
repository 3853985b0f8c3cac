"""Fixtures that every part of the tests may use: real databases, and a ladder with bots on it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from throwaway import postgres_server

from ladder import migrate, submissions
from ladder.runner import close_reserves
from ladder.store import Database


@pytest.fixture(autouse=True)
def _no_cage_waits() -> Iterator[None]:
    """Playing a job leaves sandboxes for the next one; the next test has another data folder."""
    yield
    close_reserves()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a throw-away PostgreSQL server, with `{name}` in place of the database."""
    with postgres_server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of an empty database: the tests that ask for it run on both kinds."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/ladder.db"
        return
    server: str = request.getfixturevalue("postgres")
    name = f"test_{os.urandom(6).hex()}"
    control = sa.create_engine(server.format(name="postgres"), isolation_level="AUTOCOMMIT")
    with control.connect() as c:
        c.exec_driver_sql(f"CREATE DATABASE {name}")
    yield server.format(name=name)
    with control.connect() as c:
        c.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    control.dispose()


@pytest.fixture
def empty_db(database_url: str) -> Iterator[Database]:
    """A database with the newest schema and nothing in it."""
    db = Database(database_url)
    migrate.upgrade(db)
    yield db
    db.close()


@pytest.fixture
def db(empty_db: Database) -> Database:
    """A database with the house bots of every game."""
    submissions.seed_house_bots(empty_db)
    return empty_db


@pytest.fixture
def sqlite_db(tmp_path: Path) -> Iterator[Database]:
    """Like `db`, on SQLite alone, for what does not depend on the database."""
    db = Database(f"sqlite:///{tmp_path}/ladder.db")
    migrate.upgrade(db)
    submissions.seed_house_bots(db)
    yield db
    db.close()
