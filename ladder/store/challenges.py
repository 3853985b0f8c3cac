"""Statements about matches that authors asked for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from ladder.models import Bot, Challenge, Rating, Version
from ladder.store.database import Connection, Row


def contenders(c: Connection, game: str, bot_ids: Sequence[int]) -> dict[int, Row]:
    """Owner and version of those of the bots that are on the board of a game."""
    query = (
        sa.select(Bot.id, Bot.owner_id, Version.id.label("version_id"))
        .join(Version, Version.bot_id == Bot.id)
        .join(Rating, Rating.version_id == Version.id)
        .where(Bot.game == game, Bot.id.in_(bot_ids), Rating.on_board.is_(True))
        .distinct()
    )
    return {row.id: row for row in c.execute(query)}


def since(c: Connection, account_id: int, at: datetime) -> list[datetime]:
    """The times at which an account asked for matches, oldest first."""
    query = (
        sa.select(Challenge.created_at)
        .where(Challenge.account_id == account_id, Challenge.created_at > at)
        .order_by(Challenge.created_at)
    )
    return list(c.scalars(query))


def insert_challenge(c: Connection, match_id: int, account_id: int, at: datetime) -> None:
    c.execute(sa.insert(Challenge).values(match_id=match_id, account_id=account_id, created_at=at))
