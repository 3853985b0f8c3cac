"""Joins of many statements: a version with its bot and owner, a tournament with its winner."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from ladder.models import Account, Bot, Entry, Tournament, Version


def with_bot(
    query: sa.Select[*tuple[Any, ...]], *, outer: bool = False
) -> sa.Select[*tuple[Any, ...]]:
    """Join the bot of a version, and the owner of the bot."""
    return query.join(Bot, Bot.id == Version.bot_id, isouter=outer).join(
        Account, Account.id == Bot.owner_id, isouter=outer
    )


def with_version(
    query: sa.Select[*tuple[Any, ...]], version_id: Any, *, outer: bool = False
) -> sa.Select[*tuple[Any, ...]]:
    """Join the version of this id, its bot, and the owner of the bot."""
    return with_bot(query.join(Version, Version.id == version_id, isouter=outer), outer=outer)


def with_winner(
    query: sa.Select[*tuple[Any, ...]], *, outer: bool = False
) -> sa.Select[*tuple[Any, ...]]:
    """Join the entry that won a tournament, its version, bot and owner."""
    won = sa.and_(Entry.tournament_id == Tournament.id, Entry.seeding == Tournament.winner)
    query = query.select_from(Tournament).join(Entry, won, isouter=outer)
    return with_version(query, Entry.version_id, outer=outer)
