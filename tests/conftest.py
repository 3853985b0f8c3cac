"""Fixtures that every part of the tests may use: real databases, and a ladder with bots on it."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from ladder import migrate, submissions
from ladder.store import Database


def _server_programs() -> Path:
    """The newest PostgreSQL installed; Debian keeps its server programs off the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    assert initdb, "PostgreSQL is not installed; `make test` installs it"
    return Path(initdb).parent


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a throw-away PostgreSQL server, without a database name."""
    programs = _server_programs()
    folder = Path(tempfile.mkdtemp(prefix="ladder-pg-"))
    as_user: list[str] = []
    if os.geteuid() == 0:  # it refuses to run as root
        nobody = pwd.getpwnam("postgres")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        ids = [f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
        as_user = ["setpriv", *ids]

    def run(program: str, *args: str) -> None:
        command = [*as_user, str(programs / program), *args]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)

    data = str(folder / "data")
    run("initdb", "-D", data, "-A", "trust", "-U", "ladder", "-E", "UTF8", "--no-sync")
    options = f"-k {folder} -c listen_addresses= -c fsync=off"
    run("pg_ctl", "-D", data, "-w", "-o", options, "-l", str(folder / "log"), "start")
    try:
        yield f"postgresql+psycopg://ladder@/{{name}}?host={folder}"
    finally:
        run("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder)


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
