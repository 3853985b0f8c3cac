"""Commands that copy a whole ladder: backup, restore."""

from __future__ import annotations

import argparse
from pathlib import Path

from ladder.admin import backups
from ladder.admin.backups import Backup
from ladder.cli.opening import actor, existing_database, place
from ladder.matches.replays import ReplayStore
from ladder.settings import add_flags, load
from ladder.store import Database
from ladder.terminal import say


def _add_backup(backup: argparse.ArgumentParser) -> None:
    backup.add_argument("file", type=Path)
    backup.add_argument("--no-replays", action="store_true", help="leave the replays out")
    add_flags(backup, ["data", "database"])
    backup.set_defaults(run=_backup)


def _add_restore(restore: argparse.ArgumentParser) -> None:
    restore.add_argument("file", type=Path)
    add_flags(restore, ["data", "database"])
    restore.set_defaults(run=_restore)


ARGUMENTS = {"backup": _add_backup, "restore": _add_restore}


def _backup(flags: argparse.Namespace) -> None:
    settings = load(vars(flags))
    db, replays = existing_database(settings), ReplayStore(settings.replays)
    made = backups.back_up(db, replays, flags.file, actor(), not flags.no_replays)
    size = flags.file.stat().st_size / 2**20
    say(f"{flags.file}: {size:.1f} MB, {_told(made)}")


def _restore(flags: argparse.Namespace) -> None:
    settings = load(vars(flags))
    db, replays = Database(settings.database_url), ReplayStore(settings.replays)
    made = backups.restore(db, replays, flags.file)
    made_at = f"{made.made_at:%Y-%m-%d %H:%M} UTC"
    say(f"restored the ladder of {made_at} into {place(settings)}: {_told(made)}")


def _told(made: Backup) -> str:
    missing = f" ({made.replays_missing} were not there)" if made.replays_missing else ""
    return (
        f"{made.rows.get('matches', 0)} matches and {sum(made.rows.values())} rows in all, "
        f"{made.replays} replays{missing}"
    )
