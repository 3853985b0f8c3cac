"""Statements about leagues and their runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ladder.models import Account, Bot, League, Rating, Tournament, Version
from ladder.store.database import Connection, Row
from ladder.store.joins import with_winner
from ladder.values import Kind, TournamentStatus


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


def set_paused(c: Connection, league_id: int, paused: bool) -> bool:
    """Return whether this changed anything."""
    statement = sa.update(League).where(League.id == league_id, League.paused.is_(not paused))
    return c.execute(statement.values(paused=paused)).rowcount == 1


def runs(c: Connection, league_id: int, limit: int) -> Sequence[Row]:
    """The latest runs, newest first, with their winners."""
    names = sa.select(
        Tournament,
        Bot.name.label("won_by"),
        Bot.id.label("won_by_id"),
        Version.number.label("won_by_version"),
        Account.name.label("won_by_owner"),
    )
    query = (
        with_winner(names, outer=True)
        .where(Tournament.league_id == league_id)
        .order_by(Tournament.scheduled_for.desc())
        .limit(limit)
    )
    return c.execute(query).all()


def last_scheduled(c: Connection, league_id: int) -> datetime | None:
    query = (
        sa.select(Tournament.scheduled_for)
        .where(Tournament.league_id == league_id)
        .order_by(Tournament.scheduled_for.desc())
        .limit(1)
    )
    return c.scalar(query)


def champions(c: Connection, league_id: int, limit: int) -> Sequence[Row]:
    """Bots that have won runs, those with most titles first."""
    titles = sa.select(
        Bot.name.label("bot"),
        Bot.id.label("bot_id"),
        Account.name.label("owner"),
        sa.func.count().label("titles"),
        sa.func.max(Tournament.scheduled_for).label("latest"),
    )
    query = (
        with_winner(titles)
        .where(Tournament.league_id == league_id, Tournament.status == TournamentStatus.FINISHED)
        .group_by(Bot.id, Bot.name, Account.name)
        .order_by(sa.desc("titles"), sa.desc("latest"), Bot.id)
        .limit(limit)
    )
    return c.execute(query).all()


def latest_champions(c: Connection, limit: int) -> Sequence[Row]:
    """Runs of leagues with a winner, newest first."""
    names = sa.select(
        Tournament.id,
        Tournament.league_id,
        League.name,
        Tournament.game,
        Bot.name,
        Bot.id,
        Account.name,
        Tournament.finished_at,
    )
    query = (
        with_winner(names)
        .join(League, League.id == Tournament.league_id)
        .where(Tournament.status == TournamentStatus.FINISHED)
        .order_by(Tournament.id.desc())
        .limit(limit)
    )
    return c.execute(query).all()


def best(
    c: Connection,
    game: str,
    division: str,
    limit: int,
    per_owner: int | None = None,
    house_bots: bool = True,
) -> list[int]:
    """Versions on a board, best first; unrated ones are on it too."""
    kinds = [kind for kind in Kind if house_bots or kind is not Kind.HOUSE]
    ranked = (
        sa.select(
            Rating.version_id,
            Rating.score,
            sa.func.row_number()
            .over(
                partition_by=Bot.owner_id,
                order_by=(Rating.score.desc(), Rating.version_id.desc()),
            )
            .label("place"),
        )
        .join(Version, Version.id == Rating.version_id)
        .join(Bot, Bot.id == Version.bot_id)
        .where(
            Rating.game == game,
            Rating.division == division,
            Rating.on_board.is_(True),
            Version.kind.in_(kinds),
        )
        .subquery()
    )
    query = (
        sa.select(ranked.c.version_id)
        .order_by(ranked.c.score.desc(), ranked.c.version_id.desc())
        .limit(limit)
    )
    if per_owner is not None:
        query = query.where(ranked.c.place <= per_owner)
    return list(c.scalars(query))


def standing(c: Connection, game: str, division: str, bot_ids: Sequence[int]) -> dict[int, int]:
    """The versions of these bots that are on a board, best first, by bot."""
    query = (
        sa.select(Version.bot_id, Rating.version_id)
        .join(Version, Version.id == Rating.version_id)
        .where(
            Rating.game == game,
            Rating.division == division,
            Rating.on_board.is_(True),
            Version.bot_id.in_(bot_ids),
        )
        .order_by(Rating.score.desc(), Rating.version_id.desc())
    )
    return {row.bot_id: row.version_id for row in c.execute(query)}
