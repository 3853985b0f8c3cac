"""Opens the ladder that a command works on, and names the person who types the command.

A command in the wrong folder must not make a second ladder there: only `serve`, `migrate` and
`restore` make one.
"""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Sequence
from typing import Any

from ladder.errors import NotFound
from ladder.settings import Settings, add_flags, load
from ladder.store import Database, migrate
from ladder.store.database import sqlite_file, without_password
from ladder.uploads import submissions


def on_database(
    parser: argparse.ArgumentParser, run: Any, settings: Sequence[str] = ("data", "database")
) -> None:
    """Wrap a command of the open database and its flags."""
    add_flags(parser, settings)
    parser.set_defaults(run=lambda flags: run(open_database(flags), flags))


def open_database(flags: argparse.Namespace) -> Database:
    """The database of the settings, brought to the newest schema."""
    db = existing_database(load(vars(flags)))
    bring_up(db)
    return db


def bring_up(db: Database) -> bool:
    """Bring a database to the newest schema; return whether it was older."""
    changed = migrate.upgrade(db)
    if changed:
        submissions.seed_house_bots(db)
    return changed


def existing_database(settings: Settings) -> Database:
    """The database of the settings; raises `NotFound` where it holds no ladder."""
    file = sqlite_file(settings.database_url)
    if file is None or file.exists():
        db = Database(settings.database_url)
        if migrate.current(db) is not None:
            return db
    if settings.database:
        raise NotFound(
            f"there is no ladder in the database {place(settings)}; name another "
            "with --database or LADDER_DATABASE, or make a ladder with `ladder serve`"
        )
    raise NotFound(
        f"there is no ladder in {settings.data}; name its data folder with --data or LADDER_DATA, "
        "go to the folder that it was started in, or make a new one with `ladder serve`"
    )


def place(settings: Settings) -> str:
    """Where a ladder is, without the password of its database."""
    if not settings.database:
        return str(settings.data)
    return str(sqlite_file(settings.database) or without_password(settings.database))


def actor() -> str:
    """The user of this shell, for the audit log."""
    try:
        return f"{getpass.getuser()} (command line)"
    except (OSError, KeyError):  # a user id without a name
        return "command line"
