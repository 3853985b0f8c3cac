"""Connections and transactions on SQLite and PostgreSQL, with the same meaning on both."""

from __future__ import annotations

import copy
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from ladder.errors import LadderError, NoSpace, ReadOnlyDatabase, Unavailable
from ladder.store import events

__all__ = ["Connection", "Database", "Row", "now"]

Row: TypeAlias = sa.Row[*tuple[Any, ...]]
"""A row of a query; its columns are read by name."""

BUSY_SECONDS = 30
"""Seconds that a writer waits for another process that writes to the same SQLite file."""

REST_SECONDS = 5.0

CONNECT_SECONDS = 5
"""Seconds that a PostgreSQL server may take to answer before it counts as away."""


def now() -> datetime:
    return datetime.now(UTC)


def sqlite_file(url: str) -> Path | None:
    """The file of an SQLite database, which may not exist; None: it is of another kind."""
    try:
        made = make_url(url)
    except sa.exc.ArgumentError:
        return None  # `Database` says what is wrong with it
    is_file = made.get_backend_name() == "sqlite" and made.database not in (None, "", ":memory:")
    return Path(str(made.database)) if is_file else None


def without_password(url: str) -> str:
    return make_url(url).render_as_string(hide_password=True)


class Database:
    """One database; safe to share between threads."""

    def __init__(self, url: str, pool_size: int = 8) -> None:
        try:
            self.url = make_url(url)
            self.engine = self._connectable(pool_size)
        except (sa.exc.ArgumentError, sa.exc.NoSuchModuleError, ModuleNotFoundError) as error:
            raise LadderError(
                "cannot use the database URL; it should look like "
                "sqlite:///file.db or postgresql+psycopg://user@host/name"
            ) from error
        # SQLite has one writer at a time: threads of ours queue here rather than poll the file.
        self._writer = threading.Lock() if self.is_sqlite else nullcontext()
        self._check: Callable[[Connection], None] | None = None

    @property
    def is_sqlite(self) -> bool:
        return self.url.get_backend_name() == "sqlite"

    def _connectable(self, pool_size: int) -> Engine:
        if not self.is_sqlite:
            engine = sa.create_engine(
                self.url,
                pool_size=pool_size,
                hide_parameters=True,  # errors are logged, and parameters hold other people's code
                connect_args={
                    "connect_timeout": CONNECT_SECONDS,
                    "tcp_user_timeout": CONNECT_SECONDS * 1000,
                },
            )
            # First: SQLAlchemy's own first queries fail in other encodings.
            sa.event.listen(engine, "connect", _require_utf8, insert=True)
            sa.event.listen(engine, "checkout", _ping_if_rested)
            sa.event.listen(engine, "checkin", _note_rest)
            return engine
        if self.url.database in (None, "", ":memory:"):
            raise LadderError("an SQLite database needs a file: sqlite:///path/to/ladder.db")
        self._file.parent.mkdir(parents=True, exist_ok=True)
        engine = sa.create_engine(
            self.url,
            pool_size=pool_size,
            hide_parameters=True,
            connect_args={"timeout": BUSY_SECONDS},
        )
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        return engine

    def checked(self, check: Callable[[Connection], None] | None) -> Database:
        """The same database, in which every transaction that writes begins with `check`.

        It raises where the transaction must not happen; None: no check.
        """
        same = copy.copy(self)
        same._check = check
        return same

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database and changes nothing."""
        with _explained(self), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """Like `read`, but it never sees later commits of others, however long it lasts."""
        # SQLite transactions always work so; PostgreSQL would look again for each query.
        level = {} if self.is_sqlite else {"isolation_level": "REPEATABLE READ"}
        with _explained(self), self.engine.connect().execution_options(**level) as connection:
            yield connection

    @contextmanager
    def write(self, alone: int | None = None) -> Iterator[Connection]:
        """A transaction: committed when the block ends, rolled back when it raises.

        Transactions with the same number `alone` wait for each other, also across processes.
        """
        # A commit to an immutable file can end the process (`ladder.host.bus_errors`).
        if self.is_sqlite and self._file.exists() and not self.file_writable:
            raise ReadOnlyDatabase(READ_ONLY)
        with (
            _explained(self),
            self._writer,
            self.engine.connect().execution_options(write=True) as connection,
            connection.begin(),
        ):
            if alone is not None and not self.is_sqlite:  # SQLite has one writer anyway
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({alone:d})")
            if self._check is not None:
                self._check(connection)
            events.begin(connection)
            yield connection
            events.flush(connection)

    @property
    def _file(self) -> Path:
        return Path(str(self.url.database))

    @property
    def file_writable(self) -> bool:
        """Whether the file of an SQLite database is writable; true for databases without a file."""
        if not self.is_sqlite:
            return True
        file = self._file
        # The mode does not tell: an immutable file or a read-only mount stops root as well.
        return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)

    def check_writable(self) -> None:
        """Raise `ReadOnlyDatabase` if it is read-only; nothing is written."""
        if not self.file_writable:
            raise ReadOnlyDatabase(READ_ONLY)
        if not self.is_sqlite:
            with self.read() as connection:
                if connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "on":
                    raise ReadOnlyDatabase(READ_ONLY)

    def close(self) -> None:
        self.engine.dispose()


READ_ONLY = (
    "the database is read-only, so nothing is stored; "
    "make its file, its folder or the PostgreSQL server writable again"
)


@contextmanager
def _explained(db: Database) -> Iterator[None]:
    """Tell temporary failures (the server is away, the disk is full) from our own mistakes."""
    try:
        yield
    except sa.exc.TimeoutError as error:
        raise Unavailable("the database is too busy; try again in a moment") from error
    except sa.exc.DBAPIError as error:
        for cause in _causes(error):
            if _says_full(cause):
                raise NoSpace("the disk of the database is full; nothing was stored") from cause
            if _says_read_only(cause):
                raise ReadOnlyDatabase(READ_ONLY) from cause
            if cause.connection_invalidated or _will_pass(cause):
                if (
                    not db.file_writable
                ):  # SQLite reports an I/O error when it happens during a transaction
                    raise ReadOnlyDatabase(READ_ONLY) from cause
                raise Unavailable("the database does not answer; try again in a moment") from cause
        raise


def _causes(error: BaseException | None) -> Iterator[sa.exc.DBAPIError]:
    """The error and its causes: a full SQLite rolls everything back, then misses a savepoint."""
    while error is not None:
        if isinstance(error, sa.exc.DBAPIError):
            yield error
        error = error.__context__


def _says_full(error: sa.exc.DBAPIError) -> bool:
    return (
        getattr(error.orig, "sqlite_errorname", "") == "SQLITE_FULL"
        or getattr(error.orig, "sqlstate", "") == "53100"
    )


def _says_read_only(error: sa.exc.DBAPIError) -> bool:
    return (
        str(getattr(error.orig, "sqlite_errorname", "")).startswith("SQLITE_READONLY")
        or getattr(error.orig, "sqlstate", "") == "25006"
    )


def _will_pass(error: sa.exc.DBAPIError) -> bool:
    if not isinstance(error, (sa.exc.OperationalError, sa.exc.InterfaceError)):
        return False
    # PostgreSQL has a kind of error for it, SQLite only messages: "no such table" is permanent.
    name = getattr(error.orig, "sqlite_errorname", None)
    return name is None or name.startswith(_PASSING)


_PASSING = ("SQLITE_BUSY", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_LOCKED", "SQLITE_NOMEM")


def _require_utf8(connection: Any, _: ConnectionPoolEntry) -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        name = connection.info.dbname
        connection.close()
        raise LadderError(
            f"the database {name} has the encoding {encoding}, and Evoladder needs UTF8; "
            f"create it with: createdb --encoding UTF8 --template template0 {name}"
        )


def _note_rest(_: Any, entry: ConnectionPoolEntry) -> None:
    entry.info["rests_since"] = time.monotonic()


def _ping_if_rested(connection: Any, entry: ConnectionPoolEntry, _: PoolProxiedConnection) -> None:
    """Try a connection that has rested before it is used: the server may have gone meanwhile.

    The pool then reconnects. A test every time would cost each transaction a round trip.
    """
    rested = time.monotonic() - entry.info.get("rests_since", time.monotonic())
    if rested > REST_SECONDS:
        try:
            connection.execute("SELECT 1")
            connection.rollback()
        except Exception as error:
            raise sa.exc.DisconnectionError from error


def _prepare_sqlite(connection: Any, _: ConnectionPoolEntry) -> None:
    # The driver would begin transactions by itself, deferred, and two of those that both write
    # after reading lose updates or fail; `_begin_sqlite` begins them properly.
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    write = connection.get_execution_options().get("write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
