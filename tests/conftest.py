"""Fixtures that every part of the tests may use: real databases, and a ladder with bots on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from shelf import Shelf
from throwaway import postgres_server

from ladder.matches.replays import ReplayStore
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


@pytest.fixture(scope="session")
def sqlite_shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    shelf = Shelf(tmp_path_factory.mktemp("shelf"))
    yield shelf
    shelf.close()


@pytest.fixture(scope="session")
def postgresql_shelf(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    shelf = Shelf(tmp_path_factory.mktemp("shelf"), postgres)
    yield shelf
    shelf.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def shelf(request: pytest.FixtureRequest) -> Shelf:
    """Tests that ask for one of its databases run on both kinds."""
    found: Shelf = request.getfixturevalue(f"{request.param}_shelf")
    return found


@pytest.fixture
def database_url(shelf: Shelf) -> Iterator[str]:
    """The URL of an empty database."""
    with shelf.copy(None) as url:
        yield url


@pytest.fixture
def empty_db(shelf: Shelf) -> Iterator[Database]:
    """A database with the newest schema and nothing in it."""
    with shelf.copy("migrated") as url:
        db = Database(url)
        yield db
        db.close()


@pytest.fixture
def db(shelf: Shelf) -> Iterator[Database]:
    """A database with the house bots of every game."""
    with shelf.copy("seeded") as url:
        db = Database(url)
        yield db
        db.close()


@pytest.fixture
def sqlite_db(sqlite_shelf: Shelf) -> Iterator[Database]:
    """Like `db`, but always SQLite, for tests that do not depend on the kind of database."""
    with sqlite_shelf.copy("seeded") as url:
        db = Database(url)
        yield db
        db.close()


@pytest.fixture
def replays(tmp_path: Path) -> ReplayStore:
    return ReplayStore(tmp_path / "replays")
