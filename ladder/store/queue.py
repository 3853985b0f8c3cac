"""Statements about the queue: waiting matches and leases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ladder.models import (
    Account,
    Bot,
    Match,
    Seat,
    Tournament,
    Version,
)
from ladder.models.matches import NEWCOMERS_WAIT
from ladder.store.database import Connection, Row
from ladder.store.match_moves import move
from ladder.values import (
    Kind,
    MatchStatus,
    Purpose,
    TournamentStatus,
)

PRIORITIES = {purpose: place for place, purpose in enumerate(Purpose)}

# Statements for many matches a second are built once: building costs more than sending them.


@dataclass(frozen=True, slots=True)
class NewMatch:
    game: str
    seed: int
    purpose: Purpose
    rated: bool = True
    account_id: int | None = None
    """The account of the newcomer that it is played for; accounts take turns."""


def insert_match(c: Connection, new: NewMatch, at: datetime) -> int:
    """Queue a match; return its id."""
    purpose, account_id = new.purpose, new.account_id
    row = sa.insert(Match).values(
        game=new.game,
        seed=new.seed,
        purpose=purpose,
        priority=PRIORITIES[purpose],
        rated=new.rated,
        status=MatchStatus.QUEUED,
        attempts=0,
        explanation="",
        trouble="",
        created_at=at,
        account_id=account_id,
        turn=0 if account_id is None else _next_turn(c, purpose, account_id),
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


_NEWCOMERS_WAIT = sa.text(NEWCOMERS_WAIT)
"""Literal, as in the index: with bound values SQLite would not use it."""
_FIRST_TURN = (
    sa.select(Match.priority, Match.turn)
    # With "=" SQLite would sort, though the index has them in order.
    .where(_NEWCOMERS_WAIT, Match.priority >= sa.bindparam("priority"))
    .order_by(Match.priority, Match.turn, Match.id)
    .limit(1)
)
_LAST_TURN = sa.select(sa.func.max(Match.turn)).where(
    _NEWCOMERS_WAIT,
    Match.account_id == sa.bindparam("account_id"),
    Match.priority == sa.bindparam("priority"),
)


def _next_turn(c: Connection, purpose: Purpose, account_id: int) -> int:
    """A turn after the account's own waiting ones, and not before the first turn of the others."""
    which = {"priority": PRIORITIES[purpose], "account_id": account_id}
    last = c.scalar(_LAST_TURN, which)
    row = c.execute(_FIRST_TURN, which).one_or_none()
    first = int(row.turn) if row and row.priority == which["priority"] else 0
    return first if last is None else max(first, int(last) + 1)


def count_uploads_waiting(c: Connection, account_id: int) -> int:
    """The number of an account's uploads whose validation has not begun."""
    query = sa.select(sa.func.count()).where(
        _NEWCOMERS_WAIT,
        Match.account_id == account_id,
        Match.priority == PRIORITIES[Purpose.VALIDATION],
    )
    return int(c.scalar(query) or 0)


def accounts_waiting(c: Connection, game: str) -> set[int]:
    """The accounts with newcomers' matches in the queue of a game, validations left out."""
    query = sa.select(Match.account_id).where(
        _NEWCOMERS_WAIT,
        Match.account_id.is_not(None),
        Match.game == game,
        Match.priority == PRIORITIES[Purpose.PLACEMENT],
    )
    return {int(one) for one in c.scalars(query.distinct()) if one is not None}


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
        Match.priority >= sa.bindparam("least"),
        ~_OTHER_KINDS.exists(),
        sa.or_(Match.tournament_id.is_(None), Match.tournament_id.not_in(_HELD_UP)),
    )
    .order_by(Match.priority, Match.id)
    .limit(sa.bindparam("most"))
    .with_for_update(skip_locked=True)
)
_FIRST_OF_GAMES = _FIRST.where(Match.game.in_(sa.bindparam("games", expanding=True)))
_NOBODY = 0
"""Stands for the account of matches without one."""
_FIRST_NEWCOMER = (
    sa.select(Match.id, Match.account_id)
    .where(
        _NEWCOMERS_WAIT,
        ~_OTHER_KINDS.exists(),
        Match.game.in_(sa.bindparam("games", expanding=True)),
        sa.func.coalesce(Match.account_id, sa.bindparam("nobody")).not_in(
            sa.bindparam("served", expanding=True)
        ),
    )
    .order_by(Match.priority, Match.turn, Match.id)
    .limit(1)
    .with_for_update(skip_locked=True)
)
_LEASE = (
    move(MatchStatus.QUEUED, to=MatchStatus.LEASED)
    .where(Match.id.in_(sa.bindparam("ids", expanding=True)))
    .values(
        lease_owner=sa.bindparam("owner"),
        lease_until=sa.bindparam("until"),
        attempts=Match.attempts + 1,
    )
)


@dataclass(frozen=True, slots=True)
class Lease:
    """The holder of a lease, its end, and the matches that it can play."""

    owner: str
    until: datetime
    kinds: Sequence[Kind]
    """All bots of a match are of these kinds."""
    games: Sequence[str] | None = None
    """None: all games."""

    def begin(self, c: Connection, match_ids: Sequence[int]) -> None:
        c.execute(_LEASE, {"ids": match_ids, "owner": self.owner, "until": self.until})


def lease(
    c: Connection, wanted: Lease, limit: int, least: Purpose = Purpose.VALIDATION
) -> list[int]:
    """Lease the first matches of the queue with the purpose `least` or a later one."""
    if limit < 1:
        return []
    values = {"kinds": list(wanted.kinds), "most": limit, "least": PRIORITIES[least]}
    if wanted.games is None:
        ids = list(c.scalars(_FIRST, values))
    else:
        ids = list(c.scalars(_FIRST_OF_GAMES, values | {"games": list(wanted.games)}))
    if ids:
        wanted.begin(c, ids)
    return ids


def lease_newcomers(
    c: Connection,
    wanted: Lease,
    limit: int,
    *,
    held: Counter[int | None],
    share: int,
    house: bool,
) -> list[int]:
    """Lease matches of newcomers to named games; the accounts take turns.

    `held` counts the matches that each account has already, of at most `share`, and is updated.
    Without `house`, the matches of house bots, which belong to no account, stay in the queue.
    """
    ids: list[int] = []
    assert wanted.games is not None
    known = {"kinds": list(wanted.kinds), "games": list(wanted.games), "nobody": _NOBODY}
    while len(ids) < limit:
        served = [account for account, count in held.items() if account and count >= share]
        if not house:
            served.append(_NOBODY)
        row = c.execute(_FIRST_NEWCOMER, known | {"served": served}).one_or_none()
        if row is None:
            break
        wanted.begin(c, [row.id])
        held[row.account_id] += 1
        ids.append(row.id)
    return ids


_JOBS = (
    sa.select(
        Match.id,
        Match.account_id,
        Match.attempts,
        Match.game,
        Match.seed,
        Match.purpose,
        Match.created_at,
        Bot.name,
        Account.name.label("owner"),
        Version.kind,
        Version.sha256,
    )
    .join(Seat, Seat.match_id == Match.id)
    .join(Version, Version.id == Seat.version_id)
    .join(Bot, Bot.id == Seat.bot_id)
    .join(Account, Account.id == Bot.owner_id)
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
        move(MatchStatus.LEASED, to=MatchStatus.PARKED if park else MatchStatus.QUEUED)
        .where(Match.id == match_id, Match.lease_owner == owner, Match.attempts == attempt)
        .values(
            lease_owner=None,
            lease_until=None,
            trouble=trouble,
        )
    )
    return c.execute(statement).rowcount == 1


def hand_back(c: Connection, owner: str) -> int:
    """Requeue all matches of an owner; the attempts do not count. Return their number."""
    statement = (
        move(MatchStatus.LEASED, to=MatchStatus.QUEUED)
        .where(Match.lease_owner == owner)
        .values(
            attempts=Match.attempts - 1,
            lease_owner=None,
            lease_until=None,
        )
    )
    return c.execute(statement).rowcount


def overdue(c: Connection, at: datetime) -> Sequence[Row]:
    """The matches whose leases have ended, with the owners of the leases; the rows stay locked."""
    query = sa.select(Match.id, Match.attempts, Match.lease_owner).where(
        Match.status == MatchStatus.LEASED, Match.lease_until < at
    )
    return c.execute(query.order_by(Match.id).with_for_update(skip_locked=True)).all()


def cancel_queued(c: Connection, version_id: int, purposes: Sequence[Purpose]) -> None:
    """Take a version's waiting matches out of the queue.

    Matches of tournaments with many seats stay: it ranks last in them, and the others play on.
    """
    with_it = sa.select(Seat.match_id).where(Seat.version_id == version_id)
    many = sa.select(Seat.match_id).where(Seat.match_id == Match.id, Seat.seat == 2)
    c.execute(
        move(MatchStatus.QUEUED, to=MatchStatus.CANCELLED).where(
            Match.id.in_(with_it),
            Match.purpose.in_(purposes),
            sa.or_(Match.tournament_id.is_(None), ~many.exists()),
        )
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
    """The number of queued matches of each game for these purposes, counted up to `most`."""
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


def failing_games(c: Connection, games: Sequence[str], most: int, since: datetime) -> set[str]:
    """The games whose latest `most` matches all failed through our fault, the last one since then.

    Matches that were dropped or are played again after a repair do not count.
    """
    sums: list[Any] = []
    for game in games:
        finished = sa.select(sa.func.max(Match.id)).where(
            Match.game == game, Match.status == MatchStatus.FINISHED
        )
        parked = (
            sa.select(Match.created_at)
            .where(
                Match.game == game,
                Match.status == MatchStatus.PARKED,
                Match.id > sa.func.coalesce(finished.scalar_subquery(), 0),
            )
            .order_by(Match.id.desc())
            .limit(most)
            .subquery()
        )
        sums += [
            sa.select(sa.func.count()).select_from(parked).scalar_subquery(),
            sa.select(sa.func.max(parked.c.created_at)).scalar_subquery(),
        ]
    found = c.execute(sa.select(*sums)).one()
    return {
        game
        for game, count, latest in zip(games, found[::2], found[1::2], strict=True)
        if count >= most and latest > since
    }


def busy_versions(c: Connection, game: str) -> dict[int, int]:
    """The number of open matches of each version."""
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
