"""Elects the one of several servers that does the work of a single server."""

from __future__ import annotations

import threading
from contextlib import suppress

import sqlalchemy as sa

from ladder.store.database import Connection, Database

_LOCK = 0x1EAD


class Leadership:
    """A lock of PostgreSQL that lasts as long as a connection of its own.

    When the connection or the server ends, the lock is free for the next server that asks. On
    SQLite every server leads: unique rows make the work happen once anyway.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._mutex = threading.Lock()
        self._connection: Connection | None = None
        self._leads = db.is_sqlite

    @property
    def held_lately(self) -> bool:
        """Whether the lock was held at the last request."""
        return self._leads

    def held(self) -> bool:
        """Whether this server leads now; asks for the lock if it does not."""
        if self._db.is_sqlite:
            return True
        with self._mutex:
            try:
                if self._connection is None:
                    self._connection = self._connect()
                if self._leads:
                    self._connection.exec_driver_sql("SELECT 1")
                else:
                    query = f"SELECT pg_try_advisory_lock({_LOCK:d})"
                    self._leads = bool(self._connection.exec_driver_sql(query).scalar())
            except sa.exc.DBAPIError:
                self._let_go()
            return self._leads

    def release(self) -> None:
        with self._mutex:
            if self._connection is not None:
                with suppress(sa.exc.DBAPIError):  # closing the connection would free it only later
                    self._connection.exec_driver_sql("SELECT pg_advisory_unlock_all()")
            self._let_go()

    def _connect(self) -> Connection:
        connection = self._db.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        connection.detach()  # the pool has as many connections as before
        # The server notices within seconds that our machine is gone, and gives the lock to another.
        for setting in ("tcp_keepalives_idle=5", "tcp_keepalives_interval=2"):
            connection.exec_driver_sql(f"SET {setting}")
        connection.exec_driver_sql("SET tcp_keepalives_count=3")
        return connection

    def _let_go(self) -> None:
        connection, self._connection = self._connection, None
        self._leads = self._db.is_sqlite
        if connection is not None:
            with suppress(sa.exc.DBAPIError):  # already gone
                connection.close()
