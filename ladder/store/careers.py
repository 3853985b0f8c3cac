"""Statements about the latest matches of one bot. Each reads a bounded number of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from ladder.models import Account, Bot, Match, RatingChange, Result, Seat, SeatLog
from ladder.store.database import Connection, Row


def _latest() -> sa.Select[*tuple[Any, ...]]:
    # The limit comes before the joins: PostgreSQL would walk a whole index otherwise.
    mine = (
        sa.select(RatingChange.number)
        .where(RatingChange.bot_id == sa.bindparam("b"), RatingChange.division == sa.bindparam("d"))
        .order_by(RatingChange.number.desc())
        .limit(sa.bindparam("most"))
        .subquery()
    )
    change = aliased(RatingChange)
    return (
        sa.select(
            Result.match_id,
            Match.ending,
            Seat.bot_id,
            Bot.name,
            Account.name.label("owner"),
            Seat.rank,
            Seat.at_fault,
            Seat.slowest_move_ms,
            change.mu_before,
            change.sigma_before,
        )
        .select_from(mine)
        .join(Result, Result.number == mine.c.number)
        .join(Match, Match.id == Result.match_id)
        .join(Seat, Seat.match_id == Match.id)
        .join(Bot, Bot.id == Seat.bot_id)
        .join(Account, Account.id == Bot.owner_id)
        .join(
            change,
            sa.and_(
                change.bot_id == Seat.bot_id,
                change.division == sa.bindparam("d"),
                change.number == mine.c.number,
            ),
        )
        .order_by(mine.c.number.desc(), Seat.seat)
    )


_LATEST = _latest()  # built once: building it takes longer than running it


def latest(c: Connection, bot_id: int, division: str, matches: int) -> Sequence[Row]:
    """The seats of a bot's latest rated matches, newest match first, with the ratings before."""
    return c.execute(_LATEST, {"b": bot_id, "d": division, "most": matches}).all()


def logged(c: Connection, bot_id: int, matches: int, limit: int) -> Sequence[Row]:
    """The logs of a bot's latest matches for its owner, newest first; texts are cut."""
    seats = (
        sa.select(Seat.match_id, Seat.seat)
        .where(Seat.bot_id == bot_id)
        .order_by(Seat.match_id.desc())
        .limit(matches)
        .subquery()
    )
    query = (
        sa.select(
            SeatLog.match_id,
            sa.func.substr(SeatLog.complaint, 1, 300).label("complaint"),
            sa.func.length(SeatLog.stderr).label("stderr_length"),
        )
        .join(seats, sa.and_(seats.c.match_id == SeatLog.match_id, seats.c.seat == SeatLog.seat))
        .order_by(SeatLog.match_id.desc())
        .limit(limit)
    )
    return c.execute(query).all()


def validations(c: Connection, match_ids: Sequence[int]) -> dict[int, Row]:
    """The results of validation matches for the newcomer in the first seat; texts are cut."""
    query = (
        sa.select(
            Match.id,
            Match.status,
            Match.ending,
            Match.explanation,
            Match.plies,
            Seat.cpu_ms,
            Seat.slowest_move_ms,
            sa.func.substr(SeatLog.stderr, 1, 4000).label("stderr"),
        )
        .join(Seat, sa.and_(Seat.match_id == Match.id, Seat.seat == 0))
        .outerjoin(SeatLog, sa.and_(SeatLog.match_id == Match.id, SeatLog.seat == 0))
        .where(Match.id.in_(match_ids))
    )
    return {row.id: row for row in c.execute(query)}
