"""Statements about the pairings of tournaments, and the games that decide them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

import sqlalchemy as sa

from ladder.models import Entry, Match, Pairing, Seat, Tournament
from ladder.store.database import Connection, Row
from ladder.store.match_moves import move
from ladder.store.queue import PRIORITIES
from ladder.values import (
    MatchStatus,
    Purpose,
    TournamentStatus,
)

_CANCEL = move(MatchStatus.QUEUED, MatchStatus.PARKED, to=MatchStatus.CANCELLED)
OPEN_MATCHES = (MatchStatus.QUEUED, MatchStatus.LEASED, MatchStatus.PARKED)
"""Matches that a pairing waits for; a parked one until an admin decides over it."""

Key = tuple[int, int]
"""Round and board of a pairing."""


# Pairings


def insert_pairings(c: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        c.execute(sa.insert(Pairing), [dict(row) for row in rows])


def pairings(
    c: Connection,
    tournament_id: int,
    keys: Sequence[Key] | None = None,
    above: int = 0,
    last: int | None = None,
) -> Sequence[Row]:
    """Pairings of rounds above a number, or those with the keys, by round and board.

    `last`: the last round that is wanted.
    """
    query = (
        sa.select(Pairing)
        .where(Pairing.tournament_id == tournament_id, Pairing.round > above)
        .order_by(Pairing.round, Pairing.board)
    )
    if keys is not None:
        query = query.where(sa.tuple_(Pairing.round, Pairing.board).in_(keys))
    if last is not None:
        query = query.where(Pairing.round <= last)
    return c.execute(query).all()


def round_of(c: Connection, tournament_id: int, number: int) -> Sequence[Row]:
    query = sa.select(Pairing).where(
        Pairing.tournament_id == tournament_id, Pairing.round == number
    )
    return c.execute(query.order_by(Pairing.board)).all()


def first_open_round(c: Connection, tournament_id: int) -> int | None:
    """The first round with a match that has not ended; None if all have."""
    query = sa.select(sa.func.min(Match.round)).where(
        Match.tournament_id == tournament_id, Match.status.in_(OPEN_MATCHES)
    )
    return c.scalar(query)


def undecided(c: Connection, tournament_id: int) -> int:
    query = sa.select(sa.func.count()).where(
        Pairing.tournament_id == tournament_id, Pairing.decided.is_(False)
    )
    return int(c.scalar(query) or 0)


def open_keys(c: Connection, tournament_id: int) -> list[Key]:
    query = sa.select(Pairing.round, Pairing.board).where(
        Pairing.tournament_id == tournament_id, Pairing.decided.is_(False)
    )
    return [(row.round, row.board) for row in c.execute(query)]


def write_pairings(c: Connection, tournament_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows with `r`, `b`, games, tally, decided, winner, note and entrants."""
    if rows:
        c.execute(_WRITE_PAIRING, [{"t": tournament_id, **row} for row in rows])


_WRITE_PAIRING = (
    sa.update(Pairing)
    .where(
        Pairing.tournament_id == sa.bindparam("t"),
        Pairing.round == sa.bindparam("r"),
        Pairing.board == sa.bindparam("b"),
    )
    .values({name: sa.bindparam(name) for name in ("games", "tally", "decided", "winner", "note")})
)


def delete_pairings(c: Connection, tournament_id: int, above: int) -> None:
    """Remove the rounds above a number; their matches must have been taken out before."""
    c.execute(
        sa.delete(Pairing).where(Pairing.tournament_id == tournament_id, Pairing.round > above)
    )


# Their matches


class NewGame(NamedTuple):
    round: int
    board: int
    leg: int
    seed: int
    seats: Sequence[tuple[int, int]]
    """Version and bot, in the order of the seats."""


def insert_games(c: Connection, tournament: Row, games: Sequence[NewGame], at: datetime) -> None:
    """Queue matches of a tournament, all at once."""
    if not games:
        return
    purpose = Purpose.LEAGUE if tournament.league_id else Purpose.TOURNAMENT
    common = {
        "game": tournament.game,
        "purpose": purpose,
        "priority": PRIORITIES[purpose],
        "rated": tournament.rated,
        "status": MatchStatus.QUEUED,
        "tournament_id": tournament.id,
        "attempts": 0,
        "explanation": "",
        "trouble": "",
        "created_at": at,
    }
    c.execute(
        sa.insert(Match),
        [
            {**common, "round": one.round, "board": one.board, "leg": one.leg, "seed": one.seed}
            for one in games
        ],
    )
    lowest, highest = min(one.round for one in games), max(one.round for one in games)
    ids = c.execute(
        sa.select(Match.round, Match.board, Match.leg, Match.id).where(
            Match.tournament_id == tournament.id, Match.round.between(lowest, highest)
        )
    )
    # Two matches never count for the same leg, so this finds the new ones.
    id_of = {(row.round, row.board, row.leg): row.id for row in ids}
    c.execute(
        sa.insert(Seat),
        [
            {
                "match_id": id_of[one.round, one.board, one.leg],
                "seat": seat,
                "version_id": version_id,
                "bot_id": bot_id,
                "at_fault": False,
            }
            for one in games
            for seat, (version_id, bot_id) in enumerate(one.seats)
        ],
    )


class PlayedGame(NamedTuple):
    """A match of a pairing, with its seats in order."""

    id: int
    leg: int
    status: MatchStatus
    seats: Sequence[Row]


def games(c: Connection, tournament_id: int, keys: Sequence[Key]) -> dict[Key, list[PlayedGame]]:
    """The matches of pairings, by leg."""
    found: dict[Key, list[PlayedGame]] = {key: [] for key in keys}
    query = (
        sa.select(
            Match.id,
            Match.round,
            Match.board,
            Match.leg,
            Match.status,
            Seat.seat,
            Seat.rank,
            Seat.score,
            Entry.seeding,
        )
        .join(Seat, Seat.match_id == Match.id)
        .join(
            Entry,
            sa.and_(
                Entry.tournament_id == Match.tournament_id, Entry.version_id == Seat.version_id
            ),
        )
        .where(
            Match.tournament_id == tournament_id,
            sa.tuple_(Match.round, Match.board).in_(keys),
        )
        .order_by(Match.round, Match.board, Match.leg, Seat.seat)
    )
    for _, rows in groupby(c.execute(query), key=lambda row: row.id):
        seats = list(rows)
        first = seats[0]
        found[first.round, first.board].append(PlayedGame(first.id, first.leg, first.status, seats))
    return found


def keys_of(c: Connection, match_ids: Sequence[int]) -> dict[int, list[Key]]:
    """By tournament, the pairings that matches count for."""
    query = sa.select(Match.tournament_id, Match.round, Match.board).where(
        Match.id.in_(match_ids), Match.tournament_id.is_not(None), Match.board.is_not(None)
    )
    found: dict[int, list[Key]] = {}
    for row in c.execute(query.distinct()):
        found.setdefault(row.tournament_id, []).append((row.round, row.board))
    return found


def cancel_games(
    c: Connection, tournament_id: int, version_ids: Sequence[int] | None = None
) -> None:
    """Cancel waiting matches: all, or those of the versions."""
    statement = _CANCEL.where(Match.tournament_id == tournament_id)
    if version_ids is not None:
        with_them = sa.select(Seat.match_id).where(
            Seat.match_id == Match.id, Seat.version_id.in_(version_ids)
        )
        statement = statement.where(with_them.exists())
    c.execute(statement)


def leftovers(c: Connection) -> list[int]:
    """Matches that came back to the queue after their tournament had been cancelled."""
    query = (
        sa.select(Match.id)
        .join(Tournament, Tournament.id == Match.tournament_id)
        .where(Match.status == MatchStatus.QUEUED, Tournament.status == TournamentStatus.CANCELLED)
    )
    return list(c.scalars(query))


def cancel_queued(c: Connection, match_ids: Sequence[int]) -> None:
    c.execute(move(MatchStatus.QUEUED, to=MatchStatus.CANCELLED).where(Match.id.in_(match_ids)))


def set_aside(c: Connection, tournament_id: int, keys: Sequence[Key]) -> None:
    """Detach matches from their pairings; waiting ones are cancelled."""
    where = (
        Match.tournament_id == tournament_id,
        sa.tuple_(Match.round, Match.board).in_(keys),
    )
    c.execute(_CANCEL.where(*where))
    c.execute(sa.update(Match).where(*where).values(round=None, board=None, leg=None))


def set_aside_match(c: Connection, match_id: int) -> None:
    c.execute(sa.update(Match).where(Match.id == match_id).values(round=None, board=None, leg=None))


def count_matches(c: Connection, tournament_id: int) -> dict[MatchStatus, int]:
    """The number of matches by status, without the statuses that none has."""
    # The index gives a count for each; grouping would read every one of a million rows.
    of_it = sa.select(sa.func.count()).where(Match.tournament_id == tournament_id)
    counts = [of_it.where(Match.status == status).scalar_subquery() for status in MatchStatus]
    found = zip(MatchStatus, c.execute(sa.select(*counts)).one(), strict=True)
    return {status: count for status, count in found if count}


def parked(c: Connection, tournament_id: int) -> list[int]:
    query = sa.select(Match.id).where(
        Match.tournament_id == tournament_id, Match.status == MatchStatus.PARKED
    )
    return list(c.scalars(query.order_by(Match.id)))


def match_ids(
    c: Connection, tournament_id: int, lowest: int, last: int | None = None
) -> dict[Key, list[int]]:
    """The matches that count for pairings, from a round on, and up to the round `last`."""
    query = (
        sa.select(Match.round, Match.board, Match.id)
        .where(Match.tournament_id == tournament_id, Match.round >= lowest)
        .order_by(Match.round, Match.board, Match.leg)
    )
    if last is not None:
        query = query.where(Match.round <= last)
    found: dict[Key, list[int]] = {}
    for row in c.execute(query):
        found.setdefault((row.round, row.board), []).append(row.id)
    return found
