"""Statements about encounters: the results of versions against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from ladder.models import Bot, Encounter, Match, Result, Seat, Version
from ladder.store.database import Connection, Row
from ladder.values import MatchStatus

_KEY = ("bot_id", "opponent_id", "version_id", "opponent_version_id")
_RESULTS = tuple(
    f"{result}_{order}" for order in ("before", "after") for result in ("wins", "draws", "losses")
)
_COUNTED = (*_RESULTS, "plies")

# Both databases know this form, and SQLAlchemy has a different one for each.
_ADD = sa.text(
    f"INSERT INTO encounters ({', '.join((*_KEY, *_COUNTED))})"
    f" VALUES ({', '.join(f':{name}' for name in (*_KEY, *_COUNTED))})"
    f" ON CONFLICT ({', '.join(_KEY)}) DO UPDATE SET "
    + ", ".join(f"{name} = encounters.{name} + excluded.{name}" for name in _COUNTED)
)


def add(c: Connection, finished: Sequence[tuple[Sequence[Row], Sequence[int], int]]) -> None:
    """Count rated matches: the seats of each, their ranks, and its length.

    The ratings of all versions must be locked, as they are when a match is rated.
    """
    sums: dict[tuple[int, ...], dict[str, int]] = {}
    for seats, ranks, plies in finished:
        for pair in combinations(seats, 2):
            one, other = sorted(pair, key=lambda seat: seat.bot_id)
            if one.bot_id == other.bot_id:
                continue
            mine, theirs = ranks[one.seat], ranks[other.seat]
            result = "wins" if mine < theirs else "losses" if mine > theirs else "draws"
            order = "before" if one.seat < other.seat else "after"
            key = (one.bot_id, other.bot_id, one.version_id, other.version_id)
            counts = sums.setdefault(key, dict.fromkeys(_COUNTED, 0))
            counts[f"{result}_{order}"] += 1
            counts["plies"] += plies
    if sums:
        c.execute(_ADD, [dict(zip(_KEY, key, strict=True)) | sums[key] for key in sorted(sums)])


def rebuild(c: Connection, game: str) -> None:
    """Recount all rated matches of a game; its ratings must be locked."""
    bots = sa.select(Bot.id).where(Bot.game == game)
    c.execute(sa.delete(Encounter).where(Encounter.bot_id.in_(bots)))
    one, other = aliased(Seat), aliased(Seat)
    outcomes = {
        "wins": one.rank < other.rank,
        "draws": one.rank == other.rank,
        "losses": one.rank > other.rank,
    }
    orders = {"before": one.seat < other.seat, "after": one.seat > other.seat}
    counts = [
        sa.func.sum(sa.case((sa.and_(outcome, order), 1), else_=0))
        for order in orders.values()
        for outcome in outcomes.values()
    ]
    key = (one.bot_id, other.bot_id, one.version_id, other.version_id)
    query = (
        sa.select(*key, *counts, sa.func.sum(sa.func.coalesce(Match.plies, 0)))
        .select_from(Result)
        .join(Match, Match.id == Result.match_id)
        .join(one, one.match_id == Match.id)
        .join(other, sa.and_(other.match_id == Match.id, other.bot_id > one.bot_id))
        .where(Match.game == game)
        .group_by(*key)
    )
    c.execute(sa.insert(Encounter).from_select([*_KEY, *_COUNTED], query))


_AMONG = sa.select(
    Encounter.version_id,
    Encounter.opponent_version_id,
    Encounter.wins_before + Encounter.wins_after,
    Encounter.draws_before + Encounter.draws_after,
    Encounter.losses_before + Encounter.losses_after,
).where(
    Encounter.bot_id.in_(sa.bindparam("bots", expanding=True)),
    Encounter.opponent_id.in_(sa.bindparam("bots", expanding=True)),
)


def among(c: Connection, bot_ids: Sequence[int]) -> Sequence[Row]:
    """Two versions, and wins, draws and losses of the first one, for all encounters of bots."""
    return c.execute(_AMONG, {"bots": list(bot_ids)}).all()


_WITH = (
    sa.select(
        Encounter.opponent_version_id,
        Encounter.wins_before + Encounter.wins_after,
        Encounter.draws_before + Encounter.draws_after,
        Encounter.losses_before + Encounter.losses_after,
    ).where(
        Encounter.bot_id == sa.bindparam("bot"),
        Encounter.version_id == sa.bindparam("version"),
        Encounter.opponent_id.in_(sa.bindparam("others", expanding=True)),
        Encounter.opponent_version_id.in_(sa.bindparam("versions", expanding=True)),
    ),
    sa.select(
        Encounter.version_id,
        Encounter.losses_before + Encounter.losses_after,
        Encounter.draws_before + Encounter.draws_after,
        Encounter.wins_before + Encounter.wins_after,
    ).where(
        Encounter.opponent_id == sa.bindparam("bot"),
        Encounter.opponent_version_id == sa.bindparam("version"),
        Encounter.bot_id.in_(sa.bindparam("others", expanding=True)),
        Encounter.version_id.in_(sa.bindparam("versions", expanding=True)),
    ),
)
"""The bot with the lower number comes first, so there is a statement for either place."""


def of_version(c: Connection, bot_id: int, version_id: int, others: Mapping[int, int]) -> list[Row]:
    """Other versions, and wins, draws and losses of this one against them.

    `others`: the bots of the other versions. Each pair is a key of the index.
    """
    which = {
        "bot": bot_id,
        "version": version_id,
        "others": sorted(set(others.values())),
        "versions": sorted(others),
    }
    return [row for query in _WITH for row in c.execute(query, which)]


def between(c: Connection, bot_id: int, opponent_id: int, limit: int) -> Sequence[Row]:
    """Encounters of two bots, with the numbers of their versions; the newest versions first."""
    one, other = aliased(Version), aliased(Version)
    query = (
        sa.select(Encounter, one.number.label("version"), other.number.label("opponent_version"))
        .join(one, one.id == Encounter.version_id)
        .join(other, other.id == Encounter.opponent_version_id)
        .where(
            Encounter.bot_id == min(bot_id, opponent_id),
            Encounter.opponent_id == max(bot_id, opponent_id),
        )
        .order_by(Encounter.version_id.desc(), Encounter.opponent_version_id.desc())
        .limit(limit)
    )
    return c.execute(query).all()


def total(c: Connection, bot_id: int, opponent_id: int) -> Row:
    """The sums over all versions of two bots; zeros if they never met."""
    sums = [
        sa.cast(sa.func.coalesce(sa.func.sum(getattr(Encounter, name)), 0), sa.BigInteger).label(
            name
        )
        for name in _COUNTED
    ]
    query = sa.select(*sums).where(
        Encounter.bot_id == min(bot_id, opponent_id),
        Encounter.opponent_id == max(bot_id, opponent_id),
    )
    return c.execute(query).one()


def matches_between(
    c: Connection, rarer: int, other: int, below: int | None, limit: int, scanned: int
) -> tuple[list[int], int | None]:
    """Matches of both bots, newest first, and the start of the next page.

    At most `scanned` matches of the bot `rarer` are read, so that two busy bots that hardly ever
    met cost no more than others. More may follow even where few are found.
    """
    seats = sa.select(Seat.match_id).where(Seat.bot_id == rarer)
    if below is not None:
        seats = seats.where(Seat.match_id < below)
    window = seats.order_by(Seat.match_id.desc()).limit(scanned).subquery()
    both = (
        sa.select(window.c.match_id)
        .join(Seat, sa.and_(Seat.bot_id == other, Seat.match_id == window.c.match_id))
        .join(Match, Match.id == window.c.match_id)
        .where(Match.status == MatchStatus.FINISHED)
        .order_by(window.c.match_id.desc())
        .limit(limit)
    )
    found = list(c.scalars(both))
    if len(found) == limit:
        return found, found[-1]
    last = seats.order_by(Seat.match_id.desc()).offset(scanned - 1).limit(1)
    return found, c.scalar(last)
