"""Statements about leagues and their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ladder.models import Account, Bot, Entry, League, Match, Seat, Tournament, Version
from ladder.store.database import Connection, Row
from ladder.values import MatchStatus, TournamentStatus


def leagues(c: Connection) -> Sequence[Row]:
    return c.execute(sa.select(League).order_by(League.id)).all()


def league(c: Connection, league_id: int) -> Row | None:
    return c.execute(sa.select(League).where(League.id == league_id)).one_or_none()


def league_named(c: Connection, game: str, key: str) -> Row | None:
    query = sa.select(League).where(League.game == game, League.name_key == key)
    return c.execute(query).one_or_none()


def insert_league(c: Connection, values: Mapping[str, Any]) -> int | None:
    """The new league's id, or None when the game has one of that name."""
    try:
        with c.begin_nested():
            row = sa.insert(League).values(**values).returning(League.id)
            return int(c.execute(row).scalar_one())
    except sa.exc.IntegrityError:
        return None


def update_league(c: Connection, league_id: int, cron: str, timezone: str, size: int) -> None:
    c.execute(
        sa.update(League)
        .where(League.id == league_id)
        .values(cron=cron, timezone=timezone, size=size)
    )


def insert_tournament(
    c: Connection, league: Row, scheduled_for: datetime, at: datetime
) -> int | None:
    """The new run's id, or None when that time has had its run: whoever inserts it, runs it."""
    row = sa.insert(Tournament).values(
        league_id=league.id,
        game=league.game,
        division=league.division,
        status=TournamentStatus.RUNNING,
        scheduled_for=scheduled_for,
        created_at=at,
    )
    try:
        with c.begin_nested():
            return int(c.execute(row.returning(Tournament.id)).scalar_one())
    except sa.exc.IntegrityError:
        return None


def insert_entries(c: Connection, tournament_id: int, version_ids: Sequence[int]) -> None:
    if version_ids:
        c.execute(
            sa.insert(Entry),
            [
                {"tournament_id": tournament_id, "version_id": version_id, "seeding": seeding}
                for seeding, version_id in enumerate(version_ids, start=1)
            ],
        )


def tournament(c: Connection, tournament_id: int) -> Row | None:
    query = (
        sa.select(Tournament, League.name.label("league"))
        .join(League, League.id == Tournament.league_id)
        .where(Tournament.id == tournament_id)
    )
    return c.execute(query).one_or_none()


def latest(c: Connection, league_id: int, limit: int) -> Sequence[Row]:
    query = sa.select(Tournament).where(Tournament.league_id == league_id)
    return c.execute(query.order_by(Tournament.scheduled_for.desc()).limit(limit)).all()


def finish_if_played(c: Connection, tournament_id: int, at: datetime) -> bool:
    """Finish a tournament when none of its matches is open."""
    # Two last matches that finish at once would each see the other open: they queue here.
    c.execute(
        sa.select(Tournament.id).where(Tournament.id == tournament_id).with_for_update()
    ).one()
    open_match = (
        sa.select(Match.id)
        .where(
            Match.tournament_id == tournament_id,
            Match.status.in_((MatchStatus.QUEUED, MatchStatus.LEASED)),
        )
        .limit(1)
    )
    if c.scalar(open_match) is not None:
        return False
    statement = (
        sa.update(Tournament)
        .where(Tournament.id == tournament_id, Tournament.status == TournamentStatus.RUNNING)
        .values(status=TournamentStatus.FINISHED, finished_at=at)
    )
    return c.execute(statement).rowcount == 1


def entries(c: Connection, tournament_id: int) -> Sequence[Row]:
    query = (
        sa.select(
            Entry.seeding,
            Entry.version_id,
            Bot.name.label("bot"),
            Bot.id.label("bot_id"),
            Version.number.label("version"),
            Account.name.label("owner"),
        )
        .join(Version, Version.id == Entry.version_id)
        .join(Bot, Bot.id == Version.bot_id)
        .join(Account, Account.id == Bot.owner_id)
        .where(Entry.tournament_id == tournament_id)
        .order_by(Entry.seeding)
    )
    return c.execute(query).all()


def results(c: Connection, tournament_id: int) -> Sequence[Row]:
    """Match, version, score and rank of every seat of its finished matches."""
    query = (
        sa.select(Match.id, Seat.version_id, Seat.score, Seat.rank)
        .join(Seat, Seat.match_id == Match.id)
        .where(Match.tournament_id == tournament_id, Match.status == MatchStatus.FINISHED)
        .order_by(Match.id, Seat.seat)
    )
    return c.execute(query).all()


def count_matches(c: Connection, tournament_id: int) -> int:
    query = (
        sa.select(sa.func.count())
        .select_from(Match)
        .where(Match.tournament_id == tournament_id, Match.status != MatchStatus.CANCELLED)
    )
    return int(c.scalar(query) or 0)
