"""Statements about the leaderboards at the start of each day."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from ladder.models import Account, BoardDay, Bot, Rating, Version
from ladder.store.database import Connection, Row
from ladder.store.joins import with_bot

_PLACE = struct.Struct("<qqffiii")


class DayRank(NamedTuple):
    """One bot on the board of a day; its rank is where it stands in the list."""

    bot_id: int
    version_id: int
    mu: float
    sigma: float
    matches: int
    wins: int
    draws: int


def kept(c: Connection, day: str) -> set[tuple[str, str]]:
    """Game and division of the boards that are kept for a day."""
    query = sa.select(BoardDay.game, BoardDay.division).where(BoardDay.day == day)
    return {(game, division) for game, division in c.execute(query)}


def standing(c: Connection, game: str, division: str) -> list[DayRank]:
    """The whole board as it is now, best first."""
    query = (
        sa.select(
            Version.bot_id,
            Rating.version_id,
            Rating.mu,
            Rating.sigma,
            Rating.matches,
            Rating.wins,
            Rating.draws,
        )
        .join(Version, Version.id == Rating.version_id)
        .where(Rating.game == game, Rating.division == division, Rating.on_board.is_(True))
        .order_by(Rating.score.desc(), Rating.version_id.desc())
    )
    return [DayRank(*row) for row in c.execute(query)]


def insert(
    c: Connection, game: str, division: str, day: str, at: datetime, places: Iterable[DayRank]
) -> bool:
    """Return whether the board of that day was not stored before."""
    packed = zlib.compress(b"".join(_PLACE.pack(*place) for place in places))
    row = sa.insert(BoardDay).values(
        game=game, division=division, day=day, taken_at=at, places=packed
    )
    try:
        with c.begin_nested():
            c.execute(row)
    except sa.exc.IntegrityError:
        return False
    return True


def latest(c: Connection, game: str, division: str, day: str) -> Row | None:
    """The board of a day, or else the last stored one before it."""
    query = (
        sa.select(BoardDay.day, BoardDay.taken_at, BoardDay.places)
        .where(BoardDay.game == game, BoardDay.division == division, BoardDay.day <= day)
        .order_by(BoardDay.day.desc())
        .limit(1)
    )
    return c.execute(query).one_or_none()


def read_places(packed: bytes) -> Iterator[DayRank]:
    return (DayRank(*fields) for fields in _PLACE.iter_unpack(zlib.decompress(packed)))


def read_ranks(packed: bytes) -> dict[int, int]:
    """Rank by bot."""
    fields = _PLACE.iter_unpack(zlib.decompress(packed))
    return {place[0]: rank for rank, place in enumerate(fields, start=1)}


def versions(c: Connection, version_ids: Sequence[int]) -> dict[int, Row]:
    """Names for versions that were on a board."""
    names = sa.select(
        Version.id,
        Version.number,
        Version.kind,
        Bot.name.label("bot"),
        Account.name.label("owner"),
    )
    query = with_bot(names).where(Version.id.in_(version_ids))
    return {row.id: row for row in c.execute(query)}
