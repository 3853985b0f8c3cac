"""Statements about the actions of admins."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from ladder.models import AdminAction
from ladder.store.database import Connection, Row, now


def insert_action(
    c: Connection,
    actor: str,
    action: str,
    target: str,
    target_id: int,
    detail: str = "",
) -> None:
    c.execute(
        sa.insert(AdminAction).values(
            at=now(), actor=actor, action=action, target=target, target_id=target_id, detail=detail
        )
    )


def actions(
    c: Connection,
    target: str | None = None,
    target_id: int | None = None,
    limit: int = 200,
    below: int | None = None,
) -> Sequence[Row]:
    """Newest first, with ids below `below`."""
    query = sa.select(AdminAction).order_by(AdminAction.id.desc()).limit(limit)
    if target is not None:
        query = query.where(AdminAction.target == target)
    if target_id is not None:
        query = query.where(AdminAction.target_id == target_id)
    if below is not None:
        query = query.where(AdminAction.id < below)
    return c.execute(query).all()


def last_time(c: Connection, action: str, target: str, target_id: int) -> datetime | None:
    """The latest time of an action on a target."""
    query = sa.select(sa.func.max(AdminAction.at)).where(
        AdminAction.action == action,
        AdminAction.target == target,
        AdminAction.target_id == target_id,
    )
    return c.scalar(query)
