"""Statements about the queue: what waits, and who plays what until when."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from ladder.models import (
    Bot,
    Match,
    Seat,
    Tournament,
    Version,
)
from ladder.store.database import Connection, Row
from ladder.values import (
    Kind,
    MatchStatus,
    Purpose,
    TournamentStatus,
)

PRIORITIES = {purpose: place for place, purpose in enumerate(Purpose)}

# Statements that many matches a second go through are made once: that costs more than to send them.


def insert_match(
    c: Connection,
    game: str,
    seed: int,
    purpose: Purpose,
    at: datetime,
    rated: bool = True,
) -> int:
    row = sa.insert(Match).values(
        game=game,
        seed=seed,
        purpose=purpose,
        priority=PRIORITIES[purpose],
        rated=rated,
        status=MatchStatus.QUEUED,
        attempts=0,
        explanation="",
        trouble="",
        created_at=at,
    )
    return int(c.execute(row.returning(Match.id)).scalar_one())


def insert_seats(c: Connection, match_id: int, seats: Sequence[tuple[int, int]]) -> None:
    """`seats`: version and bot, in the order of the seats."""
    c.execute(
        sa.insert(Seat),
        [
            {
                "match_id": match_id,
                "seat": seat,
                "version_id": version_id,
                "bot_id": bot_id,
                "at_fault": False,
            }
            for seat, (version_id, bot_id) in enumerate(seats)
        ],
    )


_OTHER_KINDS = (
    sa.select(Seat.match_id)
    .join(Version, Version.id == Seat.version_id)
    .where(
        Seat.match_id == Match.id,
        Version.kind.not_in(sa.bindparam("kinds", expanding=True)),
    )
)
_HELD_UP = sa.select(Tournament.id).where(
    Tournament.status.in_((TournamentStatus.PAUSED, TournamentStatus.CANCELLED))
)
_FIRST = (
    sa.select(Match.id)
    .where(
        Match.status == MatchStatus.QUEUED,
        ~_OTHER_KINDS.exists(),
        sa.or_(Match.tournament_id.is_(None), Match.tournament_id.not_in(_HELD_UP)),
    )
    .order_by(Match.priority, Match.id)
    .limit(sa.bindparam("most"))
    .with_for_update(skip_locked=True)
)
_FIRST_OF_GAMES = _FIRST.where(Match.game.in_(sa.bindparam("games", expanding=True)))
_LEASE = (
    sa.update(Match)
    .where(Match.id.in_(sa.bindparam("ids", expanding=True)))
    .values(
        status=MatchStatus.LEASED,
        lease_owner=sa.bindparam("owner"),
        lease_until=sa.bindparam("until"),
        attempts=Match.attempts + 1,
    )
)


def lease(
    c: Connection,
    owner: str,
    until: datetime,
    limit: int,
    kinds: Sequence[Kind],
    games: Sequence[str] | None,
) -> list[int]:
    """Lease the first matches of the queue whose bots are all of these kinds."""
    wanted = {"kinds": list(kinds), "most": limit}
    if games is None:
        ids = list(c.scalars(_FIRST, wanted))
    else:
        ids = list(c.scalars(_FIRST_OF_GAMES, wanted | {"games": list(games)}))
    if ids:
        c.execute(_LEASE, {"ids": ids, "owner": owner, "until": until})
    return ids


_JOBS = (
    sa.select(
        Match.id,
        Match.attempts,
        Match.game,
        Match.seed,
        Match.purpose,
        Match.created_at,
        Bot.name,
        Version.kind,
        Version.sha256,
    )
    .join(Seat, Seat.match_id == Match.id)
    .join(Version, Version.id == Seat.version_id)
    .join(Bot, Bot.id == Seat.bot_id)
    .where(Match.id.in_(sa.bindparam("ids", expanding=True)))
    .order_by(Match.priority, Match.id, Seat.seat)
)


def jobs(c: Connection, match_ids: Sequence[int]) -> Sequence[Row]:
    """One row per seat, ordered by match and seat."""
    return c.execute(_JOBS, {"ids": list(match_ids)}).all()


def renew(c: Connection, owner: str, match_ids: Sequence[int], until: datetime) -> None:
    c.execute(
        sa.update(Match)
        .where(
            Match.id.in_(match_ids),
            Match.status == MatchStatus.LEASED,
            Match.lease_owner == owner,
        )
        .values(lease_until=until)
    )


def release(
    c: Connection, owner: str, match_id: int, attempt: int, trouble: str, park: bool
) -> bool:
    """Give a leased match back to the queue, or park it."""
    statement = (
        sa.update(Match)
        .where(
            Match.id == match_id,
            Match.status == MatchStatus.LEASED,
            Match.lease_owner == owner,
            Match.attempts == attempt,
        )
        .values(
            status=MatchStatus.PARKED if park else MatchStatus.QUEUED,
            lease_owner=None,
            lease_until=None,
            trouble=trouble,
        )
    )
    return c.execute(statement).rowcount == 1


def hand_back(c: Connection, owner: str) -> int:
    """Requeue all that an owner holds; the attempts do not count. How many there were."""
    statement = (
        sa.update(Match)
        .where(Match.status == MatchStatus.LEASED, Match.lease_owner == owner)
        .values(
            status=MatchStatus.QUEUED,
            attempts=Match.attempts - 1,
            lease_owner=None,
            lease_until=None,
        )
    )
    return c.execute(statement).rowcount


def overdue(c: Connection, at: datetime) -> Sequence[Row]:
    """The matches of workers that went silent, and who had leased them; the rows stay locked."""
    query = sa.select(Match.id, Match.attempts, Match.lease_owner).where(
        Match.status == MatchStatus.LEASED, Match.lease_until < at
    )
    return c.execute(query.order_by(Match.id).with_for_update(skip_locked=True)).all()


def cancel_queued(c: Connection, version_id: int, purposes: Sequence[Purpose]) -> None:
    """Take a version's waiting matches out of the queue.

    Those with many seats of tournaments stay: it ranks last in them, and the others play on.
    """
    with_it = sa.select(Seat.match_id).where(Seat.version_id == version_id)
    many = sa.select(Seat.match_id).where(Seat.match_id == Match.id, Seat.seat == 2)
    c.execute(
        sa.update(Match)
        .where(
            Match.status == MatchStatus.QUEUED,
            Match.id.in_(with_it),
            Match.purpose.in_(purposes),
            sa.or_(Match.tournament_id.is_(None), ~many.exists()),
        )
        .values(status=MatchStatus.CANCELLED)
    )


def waiting(c: Connection) -> Sequence[Row]:
    """Matches that are queued or leased, by game, purpose and status."""
    query = (
        sa.select(Match.game, Match.purpose, Match.status, sa.func.count().label("number"))
        .where(Match.status.in_((MatchStatus.QUEUED, MatchStatus.LEASED)))
        .group_by(Match.game, Match.purpose, Match.status)
    )
    return c.execute(query).all()


def count_queued(
    c: Connection, games: Sequence[str], purposes: Sequence[Purpose], most: int
) -> dict[str, int]:
    """How many matches of each game are queued for these purposes, counted up to `most`."""
    counts = []
    for game in games:
        some = (
            sa.select(Match.id)
            .where(
                Match.game == game,
                Match.status == MatchStatus.QUEUED,
                Match.purpose.in_(purposes),
            )
            .limit(most)
            .subquery()
        )
        counts.append(sa.select(sa.func.count()).select_from(some).scalar_subquery())
    return dict(zip(games, c.execute(sa.select(*counts)).one(), strict=True))


def busy_versions(c: Connection, game: str) -> dict[int, int]:
    """How many open matches each version has."""
    query = (
        sa.select(Seat.version_id, sa.func.count())
        .join(Match, Match.id == Seat.match_id)
        .where(Match.game == game, Match.status.in_((MatchStatus.QUEUED, MatchStatus.LEASED)))
        .group_by(Seat.version_id)
    )
    return {row[0]: row[1] for row in c.execute(query)}


def count_parked(c: Connection) -> int:
    query = sa.select(sa.func.count()).where(Match.status == MatchStatus.PARKED)
    return int(c.scalar(query) or 0)
