"""Matches, their results and their failures."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Float, ForeignKey, Index, String, false, text
from sqlalchemy.orm import Mapped, mapped_column

from ladder.models.base import Base, Id
from ladder.values import Ending, Fault, Interest, MatchStatus, Purpose

KEPT_LADDER = "status = 'finished' AND NOT replay_removed AND tournament_id IS NULL"
KEPT_TOURNAMENT = "status = 'finished' AND NOT replay_removed AND tournament_id IS NOT NULL"
NEWCOMERS_WAIT = "status = 'queued' AND priority < 2"
"""Of the purposes in `ladder.values.NEWCOMERS`."""


def _newcomers(of: str, *columns: str) -> Index:
    condition = text(NEWCOMERS_WAIT)
    return Index(
        f"ix_matches_newcomers_{of}",
        *columns,
        sqlite_where=condition,
        postgresql_where=condition,
    )


def _kept_replays(of: str, where: str) -> Index:
    condition = text(where)
    return Index(
        f"ix_matches_{of}_replays",
        "finished_at",
        "id",
        "replay_bytes",
        sqlite_where=condition,
        postgresql_where=condition,
    )


class Match(Base):
    __tablename__ = "matches"
    __table_args__ = (
        Index(None, "status", "priority", "id"),
        Index(None, "game", "status", "id"),
        Index(None, "tournament_id", "status"),
        Index(None, "tournament_id", "round", "board"),
        # Matches with replays, by age; each match is in one of the two indexes.
        _kept_replays("ladder", KEPT_LADDER),
        _kept_replays("tournament", KEPT_TOURNAMENT),
        # The few waiting matches. The status is the same for all of them, but without it SQLite
        # would prefer the first index, and sort.
        _newcomers("turn", "status", "priority", "turn", "id"),
        _newcomers("account", "account_id", "status", "priority", "turn"),
    )

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    seed: Mapped[int] = mapped_column(BigInteger)
    purpose: Mapped[Purpose]
    priority: Mapped[int]
    """Place of the purpose in the queue; lower is leased first."""
    rated: Mapped[bool]
    status: Mapped[MatchStatus]
    tournament_id: Mapped[int | None] = mapped_column(ForeignKey("tournaments.id"))
    round: Mapped[int | None]
    """In a tournament: with `board` the pairing it counts for; none once another took its place."""
    board: Mapped[int | None]
    leg: Mapped[int | None]
    """Which game of its pairing it is, from 0."""
    attempts: Mapped[int] = mapped_column(default=0)
    lease_owner: Mapped[str | None]
    lease_until: Mapped[datetime | None]
    referee: Mapped[int | None]
    """Version of the referee that played it."""
    rules: Mapped[str | None] = mapped_column(String(16))
    """Fingerprint of the code of all games when it was played."""
    ending: Mapped[Ending | None]
    explanation: Mapped[str] = mapped_column(default="")
    plies: Mapped[int | None]
    trouble: Mapped[str] = mapped_column(default="")
    """Our own error at the latest attempt."""
    worker: Mapped[str | None]
    """The worker that played it."""
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    replay_bytes: Mapped[int | None]
    """Size of its replay; none where that was never noted."""
    replay_removed: Mapped[bool] = mapped_column(server_default=false())
    """Whether its replay has no file of its own: it is in a pack, or has been removed with the logs
    because of its age. Earlier releases cannot read packs, and tell that it was removed.
    """
    pack_id: Mapped[int | None] = mapped_column(BigInteger)
    """The pack that contains its replay. Not a foreign key: packs are removed, matches stay."""
    pack_offset: Mapped[int | None] = mapped_column(BigInteger)
    account_id: Mapped[int | None] = mapped_column(Id)
    """The account of the newcomer that it is played for; none for other purposes. No foreign key:
    SQLite would have to copy all matches to add one.
    """
    turn: Mapped[int] = mapped_column(server_default="0")
    """Its place among the matches of newcomers of its purpose: accounts take turns."""


class ReplayPack(Base):
    """A file with replays of many matches (`ladder.matches.replays`)."""

    __tablename__ = "replay_packs"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """A random number, which names the file."""
    interest: Mapped[Interest]
    bytes: Mapped[int] = mapped_column(BigInteger)
    replays: Mapped[int]
    newest_at: Mapped[datetime]
    """The time when a replay was last added."""


class Seat(Base):
    __tablename__ = "seats"
    __table_args__ = (Index(None, "bot_id", "match_id"), Index(None, "version_id", "match_id"))

    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"))
    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"))
    score: Mapped[float | None] = mapped_column(Float)
    rank: Mapped[int | None]
    at_fault: Mapped[bool] = mapped_column(default=False)
    cpu_ms: Mapped[float | None] = mapped_column(Float)
    slowest_move_ms: Mapped[float | None] = mapped_column(Float)
    columns: Mapped[dict[str, float] | None]
    """Other values that the game counts."""


class SeatLog(Base):
    """The log of a bot for its owner in one match. Written only if it is not empty."""

    __tablename__ = "seat_logs"
    __table_args__ = (Index(None, "bot_id", "match_id"), Index(None, "account_id", "match_id"))

    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    complaint: Mapped[str]
    stderr: Mapped[str]
    bot_id: Mapped[int | None] = mapped_column(BigInteger)
    """With `account_id` a copy of the owner, because the number of logs is limited for each. None:
    an older release wrote it.
    """
    account_id: Mapped[int | None] = mapped_column(BigInteger)


class Result(Base):
    """The log of rated matches in the order in which they were rated."""

    __tablename__ = "results"
    __table_args__ = ({"sqlite_autoincrement": True},)

    number: Mapped[int] = mapped_column(Id, primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), unique=True)


class RatingChange(Base):
    __tablename__ = "rating_changes"

    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"), primary_key=True)
    division: Mapped[str] = mapped_column(String(20), primary_key=True)
    number: Mapped[int] = mapped_column(ForeignKey("results.number"), primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"))
    mu_before: Mapped[float] = mapped_column(Float)
    sigma_before: Mapped[float] = mapped_column(Float)
    mu: Mapped[float] = mapped_column(Float)
    sigma: Mapped[float] = mapped_column(Float)


class Encounter(Base):
    """The results of two versions against each other in all rated matches so far.

    A function of the log, like the ratings. The bot with the lower number is `bot_id`; results
    are its results, apart for the matches in which it sat before the other, and after it.
    """

    __tablename__ = "encounters"

    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"), primary_key=True)
    opponent_id: Mapped[int] = mapped_column(ForeignKey("bots.id"), primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    opponent_version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    wins_before: Mapped[int]
    draws_before: Mapped[int]
    losses_before: Mapped[int]
    wins_after: Mapped[int]
    draws_after: Mapped[int]
    losses_after: Mapped[int]
    plies: Mapped[int] = mapped_column(BigInteger)
    """The lengths of all these matches together."""


class Challenge(Base):
    """The account that asked for an unrated match."""

    __tablename__ = "challenges"
    __table_args__ = (Index(None, "account_id", "created_at"),)

    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    created_at: Mapped[datetime]


class Failure(Base):
    """An attempt to play a match that failed through our own fault."""

    __tablename__ = "failures"

    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    attempt: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(primary_key=True)
    worker: Mapped[str]
    fault: Mapped[Fault]
    trouble: Mapped[str]


class Quarantine(Base):
    """A worker that gets no more matches, because its results cannot be repeated."""

    __tablename__ = "quarantines"

    worker: Mapped[str] = mapped_column(primary_key=True)
    since: Mapped[datetime]
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"))
    reason: Mapped[str]
