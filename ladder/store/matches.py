"""Statements about matches: recording and showing them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from ladder.models import (
    Account,
    Bot,
    Match,
    RatingChange,
    Result,
    Seat,
    SeatLog,
    Version,
)
from ladder.store.database import Connection, Row
from ladder.store.joins import with_version
from ladder.store.match_moves import move
from ladder.values import (
    OPEN_DIVISION,
    MatchReport,
    MatchStatus,
    Place,
    Purpose,
)

_HELD = (
    sa.select(Match.id, Match.attempts, Match.game, Match.purpose, Match.rated, Match.tournament_id)
    .where(
        Match.id.in_(sa.bindparam("ids", expanding=True)),
        Match.status == MatchStatus.LEASED,
        Match.lease_owner == sa.bindparam("owner"),
    )
    .order_by(Match.id)
    .with_for_update()
)
_CLOSE = (
    move(MatchStatus.LEASED, to=MatchStatus.FINISHED)
    .where(Match.id == sa.bindparam("m"))
    .values(
        lease_owner=None,
        lease_until=None,
        referee=sa.bindparam("referee"),
        rules=sa.bindparam("rules"),
        replay_bytes=sa.bindparam("replay_bytes"),
        replay_removed=sa.bindparam("replay_removed"),
        pack_id=sa.bindparam("pack_id"),
        pack_offset=sa.bindparam("pack_offset"),
        ending=sa.bindparam("ending"),
        explanation=sa.bindparam("explanation"),
        plies=sa.bindparam("plies"),
        worker=sa.bindparam("worker"),
        finished_at=sa.bindparam("finished_at"),
    )
)
_SCORE = (
    sa.update(Seat)
    .where(Seat.match_id == sa.bindparam("m"), Seat.seat == sa.bindparam("s"))
    .values(
        {
            name: sa.bindparam(name)
            for name in ("score", "rank", "at_fault", "cpu_ms", "slowest_move_ms", "columns")
        }
    )
)
_SEATED = (
    sa.select(
        Seat.match_id,
        Seat.seat,
        Seat.version_id,
        Seat.bot_id,
        Version.kind,
        Version.faults_in_row,
        Bot.name.label("bot"),
        Bot.owner_id,
        Account.name.label("owner"),
    )
    .join(Version, Version.id == Seat.version_id)
    .join(Bot, Bot.id == Seat.bot_id)
    .join(Account, Account.id == Bot.owner_id)
    .where(Seat.match_id.in_(sa.bindparam("ids", expanding=True)))
    .order_by(Seat.match_id, Seat.seat)
)


def held(c: Connection, owner: str, match_ids: Sequence[int]) -> dict[int, Row]:
    """Those of the matches that `owner` still has leased; the rows stay locked."""
    rows = c.execute(_HELD, {"ids": list(match_ids), "owner": owner})
    return {row.id: row for row in rows}


def close(
    c: Connection,
    reports: Sequence[MatchReport],
    places: Mapping[int, Place],
    *,
    referee: int,
    worker: str,
    at: datetime,
) -> None:
    """Record the verdicts of matches that are held, and the places of their replays."""
    c.execute(
        _CLOSE,
        [
            {
                "m": report.match_id,
                "referee": referee,
                # Workers of the previous release do not send it.
                "rules": getattr(report, "rules", "") or None,
                **_replay_columns(len(report.replay), places.get(report.match_id)),
                "ending": report.verdict.ending,
                "explanation": report.explanation,
                "plies": report.plies,
                "worker": worker,
                "finished_at": at,
            }
            for report in reports
        ],
    )
    scores: list[dict[str, Any]] = []
    for report in reports:
        verdict, ranks = report.verdict, report.verdict.ranks
        for seat, told in enumerate(report.seats):
            scores.append(
                {
                    "m": report.match_id,
                    "s": seat,
                    "score": verdict.scores[seat],
                    "rank": ranks[seat],
                    "at_fault": seat in verdict.at_fault,
                    "cpu_ms": told.cpu_ms,
                    "slowest_move_ms": told.slowest_move_ms,
                    "columns": told.columns or None,
                }
            )
    c.execute(_SCORE, scores)


def _replay_columns(size: int, place: Place | None) -> dict[str, Any]:
    return {
        "replay_bytes": size,
        "replay_removed": place is not None,
        "pack_id": place and place.pack_id,
        "pack_offset": place and place.offset,
    }


def seated(c: Connection, match_ids: Sequence[int]) -> dict[int, list[Row]]:
    """The seats of matches, with the columns that recording a result needs."""
    found: dict[int, list[Row]] = {}
    for row in c.execute(_SEATED, {"ids": list(match_ids)}):
        found.setdefault(row.match_id, []).append(row)
    return found


def match(c: Connection, match_id: int) -> Row | None:
    return c.execute(sa.select(Match).where(Match.id == match_id)).one_or_none()


def count_before(c: Connection, match: Row) -> int:
    """The number of queued matches that are leased before this one."""
    place = sa.tuple_(Match.priority, Match.turn, Match.id)
    earlier = place < sa.tuple_(match.priority, match.turn, match.id)
    query = sa.select(sa.func.count()).where(Match.status == MatchStatus.QUEUED, earlier)
    return int(c.scalar(query) or 0)


def matches_of(c: Connection, match_ids: Sequence[int]) -> Sequence[Row]:
    """The matches with these numbers, newest first."""
    query = sa.select(Match).where(Match.id.in_(match_ids))
    return c.execute(query.order_by(Match.id.desc())).all()


def page(
    c: Connection, game: str | None, bot_id: int | None, below: int | None, limit: int
) -> Sequence[Row]:
    """Finished matches, newest first, with ids below `below`."""
    if bot_id is not None:
        query = (
            sa.select(Match)
            .join(Seat, Seat.match_id == Match.id)
            .where(Seat.bot_id == bot_id)
            .order_by(Seat.match_id.desc())
        )
        if below is not None:
            query = query.where(Seat.match_id < below)
    else:
        query = sa.select(Match).order_by(Match.id.desc())
        if below is not None:
            query = query.where(Match.id < below)
    if game is not None:
        query = query.where(Match.game == game, Match.status == MatchStatus.FINISHED)
    else:
        # Not by status: SQLite would take the index of it, and sort all that were ever played.
        query = query.where(Match.finished_at.is_not(None))
    return c.execute(query.limit(limit)).all()


def seats_of(c: Connection, match_ids: Sequence[int]) -> dict[int, list[Row]]:
    """The seats of matches with names and, where rated, the open ratings before and after."""
    names = sa.select(
        Seat,
        Bot.name.label("bot"),
        Account.name.label("owner"),
        Version.number.label("version"),
        Version.kind,
        RatingChange.mu_before,
        RatingChange.sigma_before,
        RatingChange.mu.label("mu_after"),
        RatingChange.sigma.label("sigma_after"),
    ).select_from(Seat)
    query = (
        with_version(names, Seat.version_id)
        .outerjoin(Result, Result.match_id == Seat.match_id)
        .outerjoin(
            RatingChange,
            sa.and_(
                RatingChange.bot_id == Seat.bot_id,
                RatingChange.number == Result.number,
                RatingChange.division == OPEN_DIVISION,
            ),
        )
        .where(Seat.match_id.in_(match_ids))
        .order_by(Seat.match_id, Seat.seat)
    )
    rows = c.execute(query)
    return {match_id: list(group) for match_id, group in groupby(rows, key=lambda r: r.match_id)}


def logs(c: Connection, match_id: int) -> Sequence[Row]:
    query = (
        sa.select(Seat.seat, Bot.name.label("bot"), Bot.owner_id, SeatLog.complaint, SeatLog.stderr)
        .join(Bot, Bot.id == Seat.bot_id)
        .outerjoin(SeatLog, sa.and_(SeatLog.match_id == Seat.match_id, SeatLog.seat == Seat.seat))
        .where(Seat.match_id == match_id)
        .order_by(Seat.seat)
    )
    return c.execute(query).all()


def results(c: Connection, game: str, above: int, limit: int) -> Iterator[Row]:
    """Seats of finished matches of a game, oldest match first, with ids above `above`."""
    ids = (
        sa.select(Match.id)
        .where(Match.game == game, Match.status == MatchStatus.FINISHED, Match.id > above)
        .order_by(Match.id)
        .limit(limit)
    ).subquery()
    seats = (
        sa.select(
            Match.id,
            Match.finished_at,
            Match.purpose,
            Match.rated,
            Match.ending,
            Seat.seat,
            Bot.name.label("bot"),
            Version.number.label("version"),
            Account.name.label("owner"),
            Seat.score,
            Seat.rank,
            Seat.at_fault,
            Seat.cpu_ms,
        )
        .join(ids, ids.c.id == Match.id)
        .join(Seat, Seat.match_id == Match.id)
    )
    query = with_version(seats, Seat.version_id).order_by(Match.id, Seat.seat)
    return iter(c.execute(query))


_NEWCOMERS = (
    sa.select(Seat.version_id)
    .join(Match, Match.id == Seat.match_id)
    .where(
        Match.id.in_(sa.bindparam("ids", expanding=True)),
        Match.purpose == Purpose.VALIDATION,
        Seat.seat == 0,
    )
)


def validated_by(c: Connection, match_ids: Sequence[int]) -> list[int]:
    """The versions whose validation is among these matches."""
    return list(c.scalars(_NEWCOMERS, {"ids": list(match_ids)}))
