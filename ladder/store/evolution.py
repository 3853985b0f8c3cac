"""Statements about runs of evolution, their guides and generations, and their schedules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from ladder.models import (
    Account,
    Bot,
    EvolutionGeneration,
    EvolutionGuide,
    EvolutionRun,
    EvolutionSchedule,
    League,
    Tournament,
    Version,
)
from ladder.store.database import Connection, Row
from ladder.store.joins import with_version
from ladder.values import EVOLUTION_TRANSITIONS, EvolutionStatus, TournamentStatus


def insert_run(c: Connection, values: Mapping[str, Any]) -> int | None:
    """The new run's id, or None when its schedule has had its run for that time."""
    row = sa.insert(EvolutionRun).values(
        status=EvolutionStatus.QUEUED, attempts=0, trouble="", simplified="", **values
    )
    try:
        with c.begin_nested():
            return int(c.execute(row.returning(EvolutionRun.id)).scalar_one())
    except sa.exc.IntegrityError:
        return None


def insert_guides(c: Connection, run_id: int, version_ids: Sequence[int]) -> None:
    rows = [
        {"run_id": run_id, "place": place, "version_id": version_id}
        for place, version_id in enumerate(version_ids, start=1)
    ]
    if rows:
        c.execute(sa.insert(EvolutionGuide), rows)


_RUN = (
    sa.select(
        EvolutionRun,
        Account.name.label("owner"),
        Version.bot_id.label("bot_id"),
        Version.number.label("version"),
        Version.sha256.label("sha256"),
    )
    .join(Account, Account.id == EvolutionRun.owner_id)
    .outerjoin(Version, Version.id == EvolutionRun.version_id)
)


def run(c: Connection, run_id: int) -> Row | None:
    return c.execute(_RUN.where(EvolutionRun.id == run_id)).one_or_none()


def page(
    c: Connection,
    game: str | None,
    below: int | None,
    limit: int,
    bot: tuple[str, str] | None = None,
) -> Sequence[Row]:
    """Newest first, each with its last generation and the best of that; `bot`: owner and name."""
    other = aliased(EvolutionGeneration)
    last = sa.select(sa.func.max(other.generation)).where(other.run_id == EvolutionRun.id)
    query = _RUN.add_columns(EvolutionGeneration.generation, EvolutionGeneration.best).outerjoin(
        EvolutionGeneration,
        sa.and_(
            EvolutionGeneration.run_id == EvolutionRun.id,
            EvolutionGeneration.generation == last.scalar_subquery(),
        ),
    )
    if game is not None:
        query = query.where(EvolutionRun.game == game)
    if bot is not None:
        query = query.where(Account.name == bot[0], EvolutionRun.bot_name == bot[1])
    if below is not None:
        query = query.where(EvolutionRun.id < below)
    return c.execute(query.order_by(EvolutionRun.id.desc()).limit(limit)).all()


def guides(c: Connection, run_id: int) -> Sequence[Row]:
    names = sa.select(
        EvolutionGuide.place,
        EvolutionGuide.version_id,
        Version.number,
        Version.kind,
        Version.sha256,
        Bot.id.label("bot_id"),
        Bot.name,
        Account.name.label("owner"),
    )
    query = (
        with_version(names, EvolutionGuide.version_id)
        .where(EvolutionGuide.run_id == run_id)
        .order_by(EvolutionGuide.place)
    )
    return c.execute(query).all()


def generations(c: Connection, run_id: int) -> Sequence[Row]:
    query = sa.select(EvolutionGeneration).where(EvolutionGeneration.run_id == run_id)
    return c.execute(query.order_by(EvolutionGeneration.generation)).all()


def last_generation(c: Connection, run_id: int) -> int | None:
    query = sa.select(sa.func.max(EvolutionGeneration.generation))
    return c.scalar(query.where(EvolutionGeneration.run_id == run_id))


def insert_generations(c: Connection, run_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        c.execute(sa.insert(EvolutionGeneration), [{"run_id": run_id, **row} for row in rows])


# Leases and statuses of runs.


def count_running(c: Connection) -> int:
    query = sa.select(sa.func.count()).where(EvolutionRun.status == EvolutionStatus.RUNNING)
    return int(c.scalar(query) or 0)


def lease(
    c: Connection,
    owner: str,
    at: datetime,
    until: datetime,
    games: Sequence[str] | None = None,
) -> int | None:
    """Lease the oldest queued run to an owner; only of these games, if they are named."""
    query = (
        sa.select(EvolutionRun.id)
        .where(EvolutionRun.status == EvolutionStatus.QUEUED)
        .order_by(EvolutionRun.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    if games is not None:
        query = query.where(EvolutionRun.game.in_(games))
    run_id = c.scalar(query)
    if run_id is not None:
        c.execute(
            sa.update(EvolutionRun)
            .where(EvolutionRun.id == run_id)
            .values(
                status=EvolutionStatus.RUNNING,
                attempts=EvolutionRun.attempts + 1,
                lease_owner=owner,
                lease_until=until,
                started_at=sa.func.coalesce(
                    EvolutionRun.started_at, sa.literal(at, EvolutionRun.started_at.type)
                ),
            )
        )
    return run_id


def renew(c: Connection, owner: str, run_id: int, until: datetime) -> bool:
    """Whether the owner still holds the run; the row stays locked until the transaction ends."""
    statement = (
        sa.update(EvolutionRun)
        .where(
            EvolutionRun.id == run_id,
            EvolutionRun.status == EvolutionStatus.RUNNING,
            EvolutionRun.lease_owner == owner,
        )
        .values(lease_until=until)
    )
    return c.execute(statement).rowcount == 1


def overdue(c: Connection, at: datetime) -> Sequence[Row]:
    """The runs whose leases have ended, locked."""
    query = sa.select(EvolutionRun.id, EvolutionRun.attempts).where(
        EvolutionRun.status == EvolutionStatus.RUNNING, EvolutionRun.lease_until < at
    )
    return c.execute(query.with_for_update(skip_locked=True)).all()


def move(c: Connection, run_id: int, status: EvolutionStatus, **values: Any) -> bool:
    """Move a run to a status, if its present one allows that. This ends its lease."""
    sources = [old for old, allowed in EVOLUTION_TRANSITIONS.items() if status in allowed]
    statement = (
        sa.update(EvolutionRun)
        .where(EvolutionRun.id == run_id, EvolutionRun.status.in_(sources))
        .values(status=status, lease_owner=None, lease_until=None, **values)
    )
    return c.execute(statement).rowcount == 1


def set_attempts(c: Connection, run_id: int, attempts: int) -> None:
    c.execute(sa.update(EvolutionRun).where(EvolutionRun.id == run_id).values(attempts=attempts))


# Schedules.


def schedules(c: Connection) -> Sequence[Row]:
    query = (
        sa.select(EvolutionSchedule, Account.name.label("owner"), League.name.label("league"))
        .join(Account, Account.id == EvolutionSchedule.owner_id)
        .outerjoin(League, League.id == EvolutionSchedule.league_id)
    )
    return c.execute(query.order_by(EvolutionSchedule.id)).all()


def schedule(c: Connection, schedule_id: int) -> Row | None:
    """Locked until the transaction ends."""
    query = sa.select(EvolutionSchedule).where(EvolutionSchedule.id == schedule_id)
    return c.execute(query.with_for_update()).one_or_none()


def schedules_named(c: Connection, game: str, bot_key: str) -> Sequence[Row]:
    """The schedules for bots of that name, of all owners; locked until the transaction ends."""
    # As in `ladder.store.bots`: the key of the first owner is plain, and others add their id.
    query = (
        sa.select(EvolutionSchedule, Account.name.label("owner"))
        .join(Account, Account.id == EvolutionSchedule.owner_id)
        .where(EvolutionSchedule.game == game)
        .where(_PLAIN_KEY.in_([bot_key]))
        .order_by(EvolutionSchedule.id)
    )
    return c.execute(query.with_for_update(of=EvolutionSchedule)).all()


_PLAIN_KEY: sa.ColumnElement[str] = sa.func.replace(
    EvolutionSchedule.bot_key, "/" + sa.cast(EvolutionSchedule.owner_id, sa.Text), ""
)


def insert_schedule(c: Connection, values: Mapping[str, Any]) -> int:
    """The new schedule's id. The account must be locked, so that it has no other for this bot."""
    insert = sa.insert(EvolutionSchedule).returning(EvolutionSchedule.id)
    try:
        with c.begin_nested():
            return int(c.execute(insert.values(**values)).scalar_one())
    except sa.exc.IntegrityError:
        own = {**values, "bot_key": f"{values['bot_key']}/{values['owner_id']}"}
        return int(c.execute(insert.values(**own)).scalar_one())


def update_schedule(c: Connection, schedule_id: int, values: Mapping[str, Any]) -> None:
    c.execute(
        sa.update(EvolutionSchedule).where(EvolutionSchedule.id == schedule_id).values(**values)
    )


def delete_schedule(c: Connection, schedule_id: int) -> None:
    """Delete a schedule; its runs stay."""
    c.execute(sa.delete(EvolutionSchedule).where(EvolutionSchedule.id == schedule_id))


def latest_slot(c: Connection, schedule_id: int) -> datetime | None:
    """The latest time for which a schedule has had a run."""
    query = sa.select(EvolutionRun.scheduled_for).where(EvolutionRun.schedule_id == schedule_id)
    return c.scalar(query.order_by(EvolutionRun.scheduled_for.desc()).limit(1))


def latest_league_slot(c: Connection, league_id: int, since: datetime) -> datetime | None:
    """The time of the latest tournament of a league after `since`, if that one is over."""
    query = (
        sa.select(Tournament.scheduled_for, Tournament.status)
        .where(Tournament.league_id == league_id, Tournament.scheduled_for > since)
        .order_by(Tournament.scheduled_for.desc())
        .limit(1)
    )
    latest = c.execute(query).one_or_none()
    over = latest is not None and latest.status is TournamentStatus.FINISHED
    return latest.scheduled_for if latest is not None and over else None
