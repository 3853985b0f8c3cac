"""Statements about leaderboards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from ladder.models import Account, Bot, Rating, RatingChange, Result, Version
from ladder.store.bots import PLAIN_KEY
from ladder.store.database import Connection, Row
from ladder.store.joins import with_version
from ladder.values import BoardFilter

_ABOUT = (
    Bot.name.label("bot"),
    Bot.id.label("bot_id"),
    Version.number.label("version"),
    Account.name.label("owner"),
    Version.kind,
)


def _board(after: bool) -> sa.Select[*tuple[Any, ...]]:
    top = sa.select(Rating).where(
        Rating.game == sa.bindparam("g"),
        Rating.division == sa.bindparam("d"),
        Rating.on_board.is_(True),
    )
    if after:
        key = sa.tuple_(sa.bindparam("score", type_=sa.Float), sa.bindparam("version"))
        top = top.where(sa.tuple_(Rating.score, Rating.version_id) < key)
    top = top.order_by(Rating.score.desc(), Rating.version_id.desc())
    r = top.limit(sa.bindparam("most")).subquery()
    return with_version(sa.select(*_ABOUT, r).select_from(r), r.c.version_id).order_by(
        r.c.score.desc(), r.c.version_id.desc()
    )


# Built once: building it takes longer than running it.
_FIRST_PAGE, _NEXT_PAGE = _board(after=False), _board(after=True)


def board(
    c: Connection,
    game: str,
    division: str,
    below: tuple[float, int] | None,
    limit: int,
) -> Sequence[Row]:
    """Rows of the board by descending (score, version), after the key `below`."""
    values: dict[str, Any] = {"g": game, "d": division, "most": limit}
    if below is None:
        return c.execute(_FIRST_PAGE, values).all()
    return c.execute(_NEXT_PAGE, {**values, "score": below[0], "version": below[1]}).all()


def search(
    c: Connection,
    game: str,
    division: str,
    wanted: BoardFilter,
    below: tuple[float, int] | None,
    limit: int,
) -> list[tuple[int, Row]]:
    """Rows of the board that pass the filter, each with its place on the whole board."""
    key = sa.tuple_(Rating.score, Rating.version_id)
    order = (Rating.score.desc(), Rating.version_id.desc())
    # First the ids, then the columns: otherwise the database would sort thousands of whole rows.
    chosen = (
        sa.select(Rating.version_id, Rating.score)
        .join(Version, Version.id == Rating.version_id)
        .where(Rating.division == division, Rating.on_board.is_(True))
        .order_by(*order)
        .limit(limit)
    )
    if wanted.name:
        # By the game of the bot, not of the rating: names are then looked up in their index.
        chosen = chosen.join(Bot, Bot.id == Version.bot_id).where(Bot.game == game)
        owner, slash, name = wanted.name.rpartition("/")
        # The first condition is read off the index; the second leaves the ids of owners out.
        for column in (Bot.name_key, PLAIN_KEY):
            chosen = chosen.where(column.contains(name, autoescape=True))
        if slash:
            chosen = chosen.join(Account, Account.id == Bot.owner_id)
            chosen = chosen.where(Account.name_key == owner)
    else:
        chosen = chosen.where(Rating.game == game)
    if wanted.kind is not None:
        chosen = chosen.where(Version.kind == wanted.kind)
    if below is not None:
        chosen = chosen.where(key < below)
    found = c.execute(chosen).all()
    if not found:
        return []
    last = found[-1]
    better = sa.select(Rating.version_id).where(
        Rating.game == game,
        Rating.division == division,
        Rating.on_board.is_(True),
        key >= (last.score, last.version_id),
    )
    places = {one: place for place, one in enumerate(c.scalars(better.order_by(*order)), start=1)}
    query = (
        with_version(sa.select(*_ABOUT, *Rating.__table__.columns), Rating.version_id)
        .where(Rating.division == division, Rating.version_id.in_([one[0] for one in found]))
        .order_by(*order)
    )
    return [(places[row.version_id], row) for row in c.execute(query)]


def ratings_of(c: Connection, version_ids: Sequence[int]) -> dict[int, dict[str, Row]]:
    """By version and division."""
    found: dict[int, dict[str, Row]] = {}
    for row in c.execute(sa.select(Rating).where(Rating.version_id.in_(version_ids))):
        found.setdefault(row.version_id, {})[row.division] = row
    return found


def rank(c: Connection, rating: Row) -> int | None:
    """Place on the board, from 1; None when it is not on it."""
    if not rating.on_board:
        return None
    better = sa.select(sa.func.count()).where(
        Rating.game == rating.game,
        Rating.division == rating.division,
        Rating.on_board.is_(True),
        sa.tuple_(Rating.score, Rating.version_id) > (rating.score, rating.version_id),
    )
    return 1 + int(c.scalar(better) or 0)


def history(
    c: Connection, bot_id: int, division: str, below: int | None, limit: int
) -> Sequence[Row]:
    """Rating changes of all versions of a bot, newest first, before log number `below`."""
    # The limit comes before the joins: PostgreSQL would walk a whole index otherwise.
    mine = sa.select(RatingChange).where(
        RatingChange.bot_id == bot_id, RatingChange.division == division
    )
    if below is not None:
        mine = mine.where(RatingChange.number < below)
    page = mine.order_by(RatingChange.number.desc()).limit(limit).subquery()
    query = (
        sa.select(page, Result.match_id, Version.number.label("version"))
        .join(Result, Result.number == page.c.number)
        .join(Version, Version.id == page.c.version_id)
        .order_by(page.c.number.desc())
    )
    return c.execute(query).all()
