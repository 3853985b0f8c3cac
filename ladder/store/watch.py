"""Notices writes of any process to the database, without queries."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import psycopg

from ladder.errors import Unavailable
from ladder.store.database import Database
from ladder.store.events import CHANNEL

POLL_SECONDS = 0.02
"""SQLite does not notify; a check whether the file has changed takes microseconds."""

LISTEN_SECONDS = 0.25
"""Most seconds that one call listens to PostgreSQL."""


class Watch(Protocol):
    def wait(self) -> bool:
        """Wait a moment; return whether a write may have happened since the last call.

        Raises `Unavailable` when the database has gone; then create a new watch.
        """

    def close(self) -> None: ...


def watch(db: Database) -> Watch:
    with _explained():
        return _File(str(db.url.database)) if db.is_sqlite else _Channel(db)


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except (sqlite3.OperationalError, psycopg.OperationalError) as error:
        raise Unavailable("the database does not answer") from error


class _File:
    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._version = self._read()

    def _read(self) -> int:
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def wait(self) -> bool:
        time.sleep(POLL_SECONDS)
        with _explained():
            before, self._version = self._version, self._read()
        return self._version != before

    def close(self) -> None:
        self._connection.close()


class _Channel:
    def __init__(self, db: Database) -> None:
        url = db.url.set(drivername="postgresql")
        self._connection = psycopg.connect(
            url.render_as_string(hide_password=False), autocommit=True, connect_timeout=5
        )
        self._connection.execute(f"LISTEN {CHANNEL}")

    def wait(self) -> bool:
        with _explained():
            heard = self._connection.notifies(timeout=LISTEN_SECONDS, stop_after=1)
            return any(True for _ in heard)

    def close(self) -> None:
        self._connection.close()
