from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from engines.games import find_game
from ladder.boards import ladders
from ladder.errors import LadderError
from ladder.models import Base
from ladder.people import accounts
from ladder.store import Database, migrate
from ladder.uploads import submissions

ROOT = Path(__file__).parent.parent


def test_up_down_and_up_again(database_url: str) -> None:
    db = Database(database_url)
    assert migrate.upgrade(db)
    assert not migrate.upgrade(db), "the second upgrade changes nothing"
    migrate.downgrade(db, "base")
    assert set(sa.inspect(db.engine).get_table_names()) <= {"alembic_version"}
    assert migrate.upgrade(db)
    accounts.create(db, "ada")
    db.close()


def test_commands_that_start_at_once_do_not_disturb_each_other(database_url: str) -> None:
    """Each of them upgrades the empty database to the newest schema and enters the house bots."""
    command = [sys.executable, "-m", "ladder.cli", "migrate", "--database", database_url]
    started = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [process.wait(60) for process in started] == [0, 0, 0]
    db = Database(database_url)
    submissions.seed_house_bots(db)
    names = [row.bot for row in ladders.page(db, "reversi", "open", None, 99).rows]
    assert sorted(names) == sorted(find_game("reversi").house_bots)
    db.close()


def test_models_and_migrations_agree(empty_db: Database) -> None:
    with empty_db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_a_newer_database_is_left_alone(empty_db: Database) -> None:
    with empty_db.write() as c:
        c.exec_driver_sql("UPDATE alembic_version SET version_num = 'f00f'")
    with pytest.raises(LadderError, match="newer release"):
        migrate.upgrade(empty_db)


def test_the_alembic_command_works(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "alembic", "-c", str(ROOT / "alembic.ini"), "upgrade", "head"],
        check=True,
        cwd=tmp_path,
        env={"LADDER_DATA": str(tmp_path / "data")},
    )
    db = Database(f"sqlite:///{tmp_path}/data/ladder.db")
    assert not migrate.upgrade(db)


@pytest.mark.parametrize("url", ["nonsense", "sqlite://", "mysql://x/y", "postgresql+nope://x/y"])
def test_a_bad_url_is_explained(url: str) -> None:
    with pytest.raises(LadderError, match="sqlite:///"):
        Database(url)


FIRST_RELEASE = "0003"
"""Since this schema, servers and workers of a release work on the schema of the next one, too."""


def _shape(db: Database) -> dict[str, dict[str, tuple[str, bool, bool]]]:
    """Of every column: its type, whether it is nullable, and whether it has a default."""
    found = sa.inspect(db.engine)
    return {
        table: {
            column["name"]: (str(column["type"]), column["nullable"], column["default"] is not None)
            for column in found.get_columns(table)
        }
        for table in found.get_table_names()
    }


def _keys(db: Database) -> set[tuple[str, ...]]:
    """Table and columns of every unique key."""
    found = sa.inspect(db.engine)
    return {
        (table, *(str(name) for name in key["column_names"]))
        for table in found.get_table_names()
        for key in (*found.get_unique_constraints(table), *found.get_indexes(table))
        if key.get("unique", True)
    }


def test_migrations_suit_the_previous_release(tmp_path: Path) -> None:
    """They only add, and the previous release can ignore additions to its tables."""
    db = Database(f"sqlite:///{tmp_path}/ladder.db")
    chain = [item.revision for item in reversed(list(migrate._alembic()[1].walk_revisions()))]
    migrate.upgrade(db, FIRST_RELEASE)
    for revision in chain[chain.index(FIRST_RELEASE) + 1 :]:
        before, keys = _shape(db), _keys(db)
        migrate.upgrade(db, revision)
        after = _shape(db)
        for table, columns in before.items():
            for name, (kind, nullable, default) in columns.items():
                assert name in after[table], f"{revision} removes {table}.{name}"
                now_kind, now_nullable, now_default = after[table][name]
                assert now_kind == kind, f"{revision} changes {table}.{name}"
                assert now_nullable or not nullable, f"{revision} makes {table}.{name} required"
                assert now_default or not default, f"{revision} takes {table}.{name} its default"
            for name in after[table].keys() - columns.keys():
                _, nullable, default = after[table][name]
                assert nullable or default, f"{revision} requires {table}.{name}"
        new = {key for key in _keys(db) - keys if key[0] in before}
        assert not new, f"{revision} adds unique keys: {new}"
    db.close()


def test_a_database_of_another_encoding_is_refused(postgres: str) -> None:
    admin = Database(postgres.format(name="postgres"))
    with admin.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        locale = "LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
        connection.exec_driver_sql(f"CREATE DATABASE ascii ENCODING 'SQL_ASCII' {locale}")
    admin.close()
    db = Database(postgres.format(name="ascii"))
    with pytest.raises(LadderError, match=r"SQL_ASCII.*createdb --encoding UTF8 .* ascii"):
        migrate.upgrade(db)
    db.close()
