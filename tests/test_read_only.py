"""A database that becomes read-only: the server says so, and goes on when it is writable again."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import sqlalchemy as sa
from ladder_steps import account
from processes import wait_until
from server_process import Server

from ladder.errors import ReadOnlyDatabase
from ladder.host.bus_errors import MESSAGE
from ladder.store import Database


def chattr(flag: str, folder: Path, pattern: str = "ladder.db*") -> bool:
    files = [str(path) for path in folder.glob(pattern)]
    return subprocess.run(["chattr", flag, *files], capture_output=True).returncode == 0


@pytest.fixture
def immutable(tmp_path: Path) -> Iterator[Path]:
    """A folder whose `ladder.db` can be made immutable; it is mutable again at the end."""
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
        # The rest follows later: with immutable shared memory, a running transaction crashes.
        assert chattr("+i", immutable, "ladder.db")

        def told() -> bool:
            lines = server.log.read_text().splitlines()
            return any("ladder.server.dispatcher" in one and "is read-only" in one for one in lines)

        wait_until(told, 60, "the dispatcher to log the reason")
        assert requests.get(server.url + "/", timeout=10).status_code == 200
        assert chattr("+i", immutable)
        for _ in range(5):
            answer = requests.get(server.url + "/healthz", timeout=10)
            assert answer.status_code == 503
            assert "the database is read-only" in answer.json()["detail"]
        assert "Traceback" not in server.log.read_text()
        assert chattr("-i", immutable)
        server.await_matches(3)
        assert requests.get(server.url + "/healthz", timeout=10).status_code == 200
    finally:
        chattr("-i", immutable)
        server.process.kill()
        server.process.wait()


BUS_ERROR = """
import mmap
from ladder.host.bus_errors import explain_bus_errors

explain_bus_errors()
with open({path!r}, "w+b") as file:
    file.truncate(4096)
    shared = mmap.mmap(file.fileno(), 4096)
    file.truncate(0)
    shared[0] = 1
"""


def test_a_bus_error_is_explained(tmp_path: Path) -> None:
    code = BUS_ERROR.format(path=str(tmp_path / "shared"))
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert ended.returncode == 1
    assert ended.stderr == MESSAGE
