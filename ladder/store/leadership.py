"""Which of several servers does what needs to be done by one alone."""

from __future__ import annotations

import threading
from contextlib import suppress

import sqlalchemy as sa

from ladder.store.database import Connection, Database

_LOCK = 0x1EAD


class Leadership:
    """A lock of PostgreSQL that lasts as long as a connection of its own.

    When the connection or the server goes, the lock is free, and the next who asks has it. On
    SQLite everybody leads: what they do is done once by unique rows anyway.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._mutex = threading.Lock()
        self._connection: Connection | None = None
        self._leads = db.is_sqlite

    @property
    def held_lately(self) -> bool:
        """Whether it was held when it was last asked for."""
        return self._leads

    def held(self) -> bool:
        """Whether we lead, as of now; asks for the lock if we do not."""
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
                with suppress(sa.exc.DBAPIError):  # closing alone would free it a moment later
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
            with suppress(sa.exc.DBAPIError):  # it is gone already
                connection.close()
