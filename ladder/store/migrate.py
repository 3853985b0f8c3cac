"""Brings a database to the newest schema, from any place, without the alembic command."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from ladder.errors import LadderError
from ladder.store import Database

SCRIPTS = Path(__file__).resolve().parents[2] / "migrations"


def current(db: Database) -> str | None:
    """The schema of a database; none where it holds no ladder."""
    with db.read() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def known() -> set[str]:
    """The schemas that this release knows."""
    return {item.revision for item in _alembic()[1].walk_revisions()}


def newest() -> str | None:
    return _alembic()[1].get_current_head()


def upgrade(db: Database, revision: str = "head") -> bool:
    """Run the missing migrations up to `revision`; return whether any was missing."""
    config, _ = _alembic()
    found = current(db)
    if found is not None and found not in known():
        raise LadderError(
            f"the database has schema {found}, which this release does not know: "
            "it was written by a newer release; use that one"
        )
    if found == (newest() if revision == "head" else revision):
        return False
    if found is not None:
        _back_up(db, found)
    with db.engine.connect().execution_options(write=True) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    return True


def downgrade(db: Database, revision: str) -> None:
    config, _ = _alembic()
    with db.engine.connect().execution_options(write=True) as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


def _alembic() -> tuple[Config, ScriptDirectory]:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    return config, ScriptDirectory.from_config(config)


def _back_up(db: Database, revision: str) -> None:
    """Copy an SQLite file first: a migration that fails there may stay half applied."""
    if not db.is_sqlite:
        return
    path = Path(str(db.url.database))
    target = path.with_name(f"{path.name}.before-{revision}")
    if target.exists() or shutil.disk_usage(path.parent).free < 2 * path.stat().st_size:
        return
    with sqlite3.connect(path) as source, sqlite3.connect(target) as copy:
        source.backup(copy)
