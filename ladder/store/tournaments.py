"""Statements about tournaments: their state, their entries and the scores of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ladder.models import Account, Bot, Entry, League, Tournament, Version
from ladder.scoring.tallies import EntryRecord, read_counts, write_counts
from ladder.store.database import Connection, Row
from ladder.store.joins import with_version, with_winner
from ladder.values import (
    TOURNAMENT_TRANSITIONS,
    TournamentStatus,
    VersionStatus,
)


def insert_tournament(c: Connection, values: Mapping[str, Any]) -> int | None:
    """The new tournament's id, or None when its league has had its run for that time."""
    row = sa.insert(Tournament).values(rounds_made=0, **values)
    try:
        with c.begin_nested():
            return int(c.execute(row.returning(Tournament.id)).scalar_one())
    except sa.exc.IntegrityError:
        return None


def insert_entries(c: Connection, tournament_id: int, version_ids: Sequence[int]) -> None:
    """In the order of their seeding."""
    if version_ids:
        nothing = {"points": 0.0, "halves": b"", "met": b""}
        nothing |= dict.fromkeys(("wins", "draws", "losses", "byes", "lean"), 0)
        c.execute(
            sa.insert(Entry),
            [
                {"tournament_id": tournament_id, "version_id": v, "seeding": seeding, **nothing}
                for seeding, v in enumerate(version_ids, start=1)
            ],
        )


def tournament(c: Connection, tournament_id: int) -> Row | None:
    query = (
        sa.select(Tournament, League.name.label("league"))
        .outerjoin(League, League.id == Tournament.league_id)
        .where(Tournament.id == tournament_id)
    )
    return c.execute(query).one_or_none()


def lock(c: Connection, tournament_id: int) -> Row | None:
    """A tournament, locked until the transaction ends: every change of its rounds waits here."""
    query = sa.select(Tournament).where(Tournament.id == tournament_id).with_for_update()
    return c.execute(query).one_or_none()


def page(c: Connection, game: str | None, below: int | None, limit: int) -> Sequence[Row]:
    """Newest first, with the name of the winner."""
    names = sa.select(
        Tournament,
        League.name.label("league"),
        Bot.name.label("won_by"),
        Account.name.label("won_by_owner"),
    )
    query = (
        with_winner(names, outer=True)
        .outerjoin(League, League.id == Tournament.league_id)
        .order_by(Tournament.id.desc())
        .limit(limit)
    )
    if game is not None:
        query = query.where(Tournament.game == game)
    if below is not None:
        query = query.where(Tournament.id < below)
    return c.execute(query).all()


def due(c: Connection, at: datetime) -> list[int]:
    """Waiting tournaments that are due."""
    query = sa.select(Tournament.id).where(
        Tournament.status == TournamentStatus.PENDING, Tournament.scheduled_for <= at
    )
    return list(c.scalars(query.order_by(Tournament.id)))


def running(c: Connection) -> list[int]:
    query = sa.select(Tournament.id).where(Tournament.status == TournamentStatus.RUNNING)
    return list(c.scalars(query.order_by(Tournament.id)))


def entered_in(c: Connection, version_ids: Sequence[int]) -> list[int]:
    """Open tournaments in which one of the versions is still entered."""
    if not version_ids:
        return []
    query = (
        sa.select(Entry.tournament_id)
        .join(Tournament, Tournament.id == Entry.tournament_id)
        .where(
            Entry.version_id.in_(version_ids),
            Entry.withdrawn.is_(None),
            Tournament.status.in_(
                (TournamentStatus.PENDING, TournamentStatus.RUNNING, TournamentStatus.PAUSED)
            ),
        )
        .distinct()
    )
    return list(c.scalars(query))


def set_status(
    c: Connection,
    tournament_id: int,
    status: TournamentStatus,
    **values: Any,
) -> bool:
    """Move a tournament to a status, if its present one allows that."""
    sources = [old for old, allowed in TOURNAMENT_TRANSITIONS.items() if status in allowed]
    statement = (
        sa.update(Tournament)
        .where(Tournament.id == tournament_id, Tournament.status.in_(sources))
        .values(status=status, **values)
    )
    return c.execute(statement).rowcount == 1


def set_rounds_made(c: Connection, tournament_id: int, number: int) -> None:
    c.execute(
        sa.update(Tournament).where(Tournament.id == tournament_id).values(rounds_made=number)
    )


def entries(c: Connection, tournament_id: int) -> Sequence[Row]:
    """The whole rows of the entries, in the order of their seeding."""
    names = sa.select(
        Entry,
        Bot.name.label("bot"),
        Bot.id.label("bot_id"),
        Version.number.label("version"),
        Version.kind,
        Version.divisions,
        Account.name.label("owner"),
    )
    query = (
        with_version(names, Entry.version_id)
        .where(Entry.tournament_id == tournament_id)
        .order_by(Entry.seeding)
    )
    return c.execute(query).all()


def count_entries(c: Connection, tournament_id: int) -> int:
    query = sa.select(sa.func.count()).where(Entry.tournament_id == tournament_id)
    return int(c.scalar(query) or 0)


def seated(c: Connection, tournament_id: int) -> dict[int, tuple[int, int]]:
    """Version and bot of every seeding."""
    query = (
        sa.select(Entry.seeding, Entry.version_id, Version.bot_id)
        .join(Version, Version.id == Entry.version_id)
        .where(Entry.tournament_id == tournament_id)
    )
    return {row.seeding: (row.version_id, row.bot_id) for row in c.execute(query)}


def gone(c: Connection, tournament_id: int) -> set[int]:
    """Seedings of those who have left."""
    query = sa.select(Entry.seeding).where(
        Entry.tournament_id == tournament_id, Entry.withdrawn.is_not(None)
    )
    return set(c.scalars(query))


def unfit(c: Connection, tournament_id: int) -> list[int]:
    """Seedings of those whose version has been suspended, or whose owner banned."""
    query = with_version(sa.select(Entry.seeding), Entry.version_id).where(
        Entry.tournament_id == tournament_id,
        Entry.withdrawn.is_(None),
        sa.or_(Version.status == VersionStatus.SUSPENDED, Account.banned_at.is_not(None)),
    )
    return list(c.scalars(query))


def withdraw(c: Connection, tournament_id: int, seedings: Sequence[int], number: int) -> None:
    c.execute(
        sa.update(Entry)
        .where(Entry.tournament_id == tournament_id, Entry.seeding.in_(seedings))
        .values(withdrawn=number)
    )


def records(
    c: Connection, tournament_id: int, count: int, seedings: Iterable[int] | None = None
) -> dict[int, EntryRecord]:
    """The scores of entries so far; `count` is the number of all entries."""
    query = (
        sa.select(
            Entry.seeding,
            Entry.points,
            Entry.wins,
            Entry.draws,
            Entry.losses,
            Entry.byes,
            Entry.lean,
            Entry.halves,
            Entry.met,
        )
        .where(Entry.tournament_id == tournament_id)
        .order_by(Entry.seeding)
    )
    if seedings is not None:
        query = query.where(Entry.seeding.in_(sorted(seedings)))
    return {row.seeding: read_record(row, count) for row in c.execute(query)}


def read_record(row: Row, count: int) -> EntryRecord:
    return EntryRecord(
        row.seeding,
        row.points,
        row.wins,
        row.draws,
        row.losses,
        row.byes,
        row.lean,
        read_counts(row.halves, count),
        read_counts(row.met, count),
    )


def write_records(c: Connection, tournament_id: int, changed: Iterable[EntryRecord]) -> None:
    rows = [
        {
            "t": tournament_id,
            "s": record.seeding,
            "points": record.points,
            "wins": record.wins,
            "draws": record.draws,
            "losses": record.losses,
            "byes": record.byes,
            "lean": record.lean,
            "halves": write_counts(record.halves),
            "met": write_counts(record.met),
        }
        for record in changed
    ]
    if rows:
        c.execute(_WRITE_RECORD, rows)


_WRITE_RECORD = (
    sa.update(Entry)
    .where(Entry.tournament_id == sa.bindparam("t"), Entry.seeding == sa.bindparam("s"))
    .values(
        {
            name: sa.bindparam(name)
            for name in (
                *("points", "wins", "draws", "losses", "byes", "lean"),
                *("halves", "met"),
            )
        }
    )
)
