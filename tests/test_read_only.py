"""A database that becomes read-only: said clearly, and work goes on when it is writable again."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import sqlalchemy as sa
from ladder_steps import account
from processes import wait_until
from server_process import Server

from ladder.errors import ReadOnlyDatabase
from ladder.store import Database


def chattr(flag: str, folder: Path) -> bool:
    files = [str(path) for path in folder.glob("ladder.db*")]
    return subprocess.run(["chattr", flag, *files], capture_output=True).returncode == 0


@pytest.fixture
def immutable(tmp_path: Path) -> Iterator[Path]:
    """A folder whose `ladder.db` can be made immutable; it is not so any more at the end."""
    probe = tmp_path / "ladder.db"
    probe.touch()
    try:
        if not chattr("+i", tmp_path):
            pytest.skip("files cannot be made immutable here (chattr +i)")
    except FileNotFoundError:
        pytest.skip("chattr is not installed")
    chattr("-i", tmp_path)
    probe.unlink()
    (tmp_path / "data").mkdir()
    yield tmp_path / "data"
    chattr("-i", tmp_path / "data")


def test_both_databases_say_that_they_are_read_only(db: Database) -> None:
    db.check_writable()
    if db.is_sqlite:
        sa.event.listen(db.engine, "checkout", lambda c, *_: c.execute("PRAGMA query_only = ON"))
    else:
        sa.event.listen(
            db.engine,
            "checkout",
            lambda c, *_: c.execute("SET default_transaction_read_only = on") and c.commit(),
        )
        with pytest.raises(ReadOnlyDatabase):
            db.check_writable()
    with pytest.raises(ReadOnlyDatabase, match="the database is read-only"):
        account(db)


@pytest.mark.slow
def test_a_server_says_so_and_goes_on_afterwards(immutable: Path) -> None:
    server = Server(immutable)
    try:
        server.await_matches(3)
        assert requests.get(server.url + "/healthz", timeout=10).status_code == 200
        assert chattr("+i", immutable)
        answer = requests.get(server.url + "/healthz", timeout=10)
        assert answer.status_code == 503
        assert "the database is read-only" in answer.json()["detail"]

        def told() -> bool:
            lines = server.log.read_text().splitlines()
            return any("ladder.server.dispatcher" in one and "is read-only" in one for one in lines)

        wait_until(told, 30, "a line of the worker that says why")
        assert "Traceback" not in server.log.read_text()
        assert chattr("-i", immutable)
        server.await_matches(3)
        assert requests.get(server.url + "/healthz", timeout=10).status_code == 200
    finally:
        chattr("-i", immutable)
        server.process.kill()
        server.process.wait()
