"""Runs the migrations against the database of the settings, or a connection handed in."""

from alembic import context
from sqlalchemy import Connection

from ladder.models import Base
from ladder.settings import load
from ladder.store import Database

MIGRATION_LOCK = 0x1ADDE0


def run(connection: Connection) -> None:
    sqlite = connection.dialect.name == "sqlite"
    if sqlite:
        # Rebuilding a parent table with enforcement on would delete its children, or fail.
        _enforce_foreign_keys(connection, "OFF")
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=sqlite,
        transactional_ddl=True,
        compare_type=True,
    )
    try:
        with context.begin_transaction():
            if not sqlite:  # two servers may start at once; SQLite has one writer anyway
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")
            context.run_migrations()
    finally:
        if sqlite:
            connection.rollback()
            _enforce_foreign_keys(connection, "ON")


def _enforce_foreign_keys(connection: Connection, state: str) -> None:
    """By the driver itself: inside a transaction, which the engine would begin, it does nothing."""
    cursor = connection.connection.cursor()
    cursor.execute(f"PRAGMA foreign_keys={state}")
    cursor.close()


if context.is_offline_mode():
    raise SystemExit("migrations need a connection; --sql is not supported")

given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    database = Database(load({}).database_url)
    with database.engine.connect() as connection:
        run(connection)
