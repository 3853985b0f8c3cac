"""The tables. Facts (versions, matches, results) are never changed once decided; ratings are a
pure function of the log of results. Statements live in `ladder.store`, not here.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    DateTime,
    Enum,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from ladder.values import (
    Ending,
    EvolutionStatus,
    Fault,
    Kind,
    MatchStatus,
    Purpose,
    Role,
    TokenUse,
    TournamentStatus,
    VersionStatus,
)


class UTCDateTime(TypeDecorator[datetime]):
    """An aware UTC time on every database; SQLite alone would forget the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError("times in the database are aware; this one has no zone")
        return value and value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if not isinstance(value, datetime):
            return None
        return value if value.tzinfo else value.replace(tzinfo=UTC)


def one_of(values: type[StrEnum]) -> Enum:
    """A text column that holds the value of an enum member."""
    # Native PostgreSQL enums survive downgrades and are missed by autogenerate.
    return Enum(
        values, native_enum=False, length=24, values_callable=lambda e: [m.value for m in e]
    )


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it from the class
        datetime: UTCDateTime(),
        str: Text(),
        dict[str, int]: JSON(none_as_null=True),
        dict[str, float]: JSON(none_as_null=True),
        dict[str, Any]: JSON(none_as_null=True),
        list[str]: JSON(none_as_null=True),
        list[int]: JSON(none_as_null=True),
        dict[str, Any]: JSON(none_as_null=True),
        Role: one_of(Role),
        Kind: one_of(Kind),
        TokenUse: one_of(TokenUse),
        VersionStatus: one_of(VersionStatus),
        MatchStatus: one_of(MatchStatus),
        Purpose: one_of(Purpose),
        Ending: one_of(Ending),
        TournamentStatus: one_of(TournamentStatus),
        EvolutionStatus: one_of(EvolutionStatus),
        Fault: one_of(Fault),
    }


# SQLite counts only in columns that are declared exactly INTEGER PRIMARY KEY.
Id = BigInteger().with_variant(Integer(), "sqlite")


class Account(Base):
    __tablename__ = "accounts"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(unique=True)
    """The name as it is compared: case does not tell two accounts apart."""
    role: Mapped[Role]
    created_at: Mapped[datetime]


class Token(Base):
    __tablename__ = "tokens"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    """SHA-256 of the token; the token itself is shown once and never stored."""
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    use: Mapped[TokenUse]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]


class Invite(Base):
    __tablename__ = "invites"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    uses_left: Mapped[int]
    created_at: Mapped[datetime]


class Blob(Base):
    """An uploaded file, stored once however often it is uploaded."""

    __tablename__ = "blobs"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class Bot(Base):
    __tablename__ = "bots"
    __table_args__ = (UniqueConstraint("game", "name_key"),)

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    name: Mapped[str]
    name_key: Mapped[str]
    owner_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    created_at: Mapped[datetime]


class Version(Base):
    __tablename__ = "versions"
    __table_args__ = (UniqueConstraint("bot_id", "number"),)

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"))
    number: Mapped[int]
    sha256: Mapped[str] = mapped_column(String(64), index=True)
    """Of the uploaded file; of a house bot, of its name and revision, and there is no blob."""
    kind: Mapped[Kind]
    size_bytes: Mapped[int]
    status: Mapped[VersionStatus]
    reason: Mapped[str] = mapped_column(default="")
    """Why it was rejected or suspended, for its owner."""
    measures: Mapped[dict[str, int] | None]
    """Sizes of its code; none where nobody asked, or they could not be taken."""
    open_only: Mapped[str] = mapped_column(default="")
    """Why it is in no division by code size whatever its measures, for its owner."""
    divisions: Mapped[list[str] | None]
    """Those that it was accepted into."""
    validation_match_id: Mapped[int | None] = mapped_column(ForeignKey("matches.id"))
    """The match that decides over it; none for house bots."""
    lineage: Mapped[dict[str, Any] | None]
    """Where an evolved version says it comes from. Whoever uploads may claim anything."""
    faults_in_row: Mapped[int] = mapped_column(default=0)
    created_at: Mapped[datetime]
    decided_at: Mapped[datetime | None]


class Rating(Base):
    """The state of one version on one ladder (its game and a division)."""

    __tablename__ = "ratings"
    __table_args__ = (
        Index(None, "game", "division", "on_board", "score", "version_id"),
        Index(None, "game", "division", "on_board", "mu"),
        Index(None, "game", "division", "on_board", "sigma"),
        Index(None, "game", "division", "on_board", "last_number"),
    )

    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    division: Mapped[str] = mapped_column(String(20), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    predecessor_id: Mapped[int | None] = mapped_column(ForeignKey("versions.id"), index=True)
    """Its bot's newest version with rated matches on this ladder when this one was accepted: its
    mu is this one's prior."""
    mu: Mapped[float] = mapped_column(Float)
    sigma: Mapped[float] = mapped_column(Float)
    score: Mapped[float] = mapped_column(Float)
    """mu - 3 sigma, what the board is sorted by."""
    matches: Mapped[int]
    wins: Mapped[int]
    draws: Mapped[int]
    losses: Mapped[int]
    share_sum: Mapped[float] = mapped_column(Float)
    """Sum of its scores; a seat at fault has none."""
    columns: Mapped[dict[str, float] | None]
    """Sums of what the game counts besides."""
    on_board: Mapped[bool] = mapped_column(Boolean)
    """Whether this is its bot's newest accepted version: the one that is paired and shown."""
    last_number: Mapped[int] = mapped_column(BigInteger)
    """Log number of its latest match; the least is the most starved bot."""


class Match(Base):
    __tablename__ = "matches"
    __table_args__ = (
        Index(None, "status", "priority", "id"),
        Index(None, "game", "status", "id"),
        Index(None, "tournament_id", "status"),
        Index(None, "tournament_id", "round", "board"),
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
    ending: Mapped[Ending | None]
    explanation: Mapped[str] = mapped_column(default="")
    plies: Mapped[int | None]
    trouble: Mapped[str] = mapped_column(default="")
    """What went wrong on our side at the latest attempt."""
    worker: Mapped[str | None]
    """Who played it."""
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


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
    """What the game counts besides the score."""


class SeatLog(Base):
    """What a bot left for its owner in one match. Only written when there is something to tell."""

    __tablename__ = "seat_logs"

    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    seat: Mapped[int] = mapped_column(primary_key=True)
    complaint: Mapped[str]
    stderr: Mapped[str]


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


class League(Base):
    __tablename__ = "leagues"
    __table_args__ = (UniqueConstraint("game", "name_key"),)

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    name: Mapped[str]
    name_key: Mapped[str]
    division: Mapped[str] = mapped_column(String(20))
    cron: Mapped[str]
    timezone: Mapped[str]
    size: Mapped[int]
    """How many of the best bots are entered."""
    format: Mapped[str] = mapped_column(String(24))
    options: Mapped[dict[str, Any]]
    """Of the format."""
    per_owner: Mapped[int | None]
    """How many bots of one owner are entered at most."""
    rated: Mapped[bool]
    created_at: Mapped[datetime]


class Tournament(Base):
    """One run of a format, of a league or by itself."""

    __tablename__ = "tournaments"
    __table_args__ = (UniqueConstraint("league_id", "scheduled_for"), Index(None, "status"))

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    league_id: Mapped[int | None] = mapped_column(ForeignKey("leagues.id"))
    name: Mapped[str]
    game: Mapped[str] = mapped_column(String(40))
    division: Mapped[str] = mapped_column(String(20))
    format: Mapped[str] = mapped_column(String(24))
    options: Mapped[dict[str, Any]]
    seed: Mapped[int] = mapped_column(BigInteger)
    """The seeds of its matches follow from it."""
    rated: Mapped[bool]
    status: Mapped[TournamentStatus]
    rounds_made: Mapped[int]
    """How many rounds have been paired."""
    winner: Mapped[int | None]
    """Seeding of who won it alone, once it is finished."""
    scheduled_for: Mapped[datetime]
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class Entry(Base):
    """A bot in a tournament, and all that its results so far add up to."""

    __tablename__ = "entries"
    __table_args__ = (Index(None, "version_id"),)

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    seeding: Mapped[int]
    """Place on the board when it was entered, from 1."""
    withdrawn: Mapped[int | None]
    """The round in which it left; what it does not play from then on, its opponents win."""
    points: Mapped[float] = mapped_column(Float)
    wins: Mapped[int]
    draws: Mapped[int]
    losses: Mapped[int]
    byes: Mapped[int]
    lean: Mapped[int]
    """Games in the first seat less games in another one."""
    halves: Mapped[bytes] = mapped_column(LargeBinary)
    """Half points against every seeding, from 1, two bytes each: a row of the crosstable."""
    met: Mapped[bytes] = mapped_column(LargeBinary)
    """Games against every seeding, in the same form."""


class Pairing(Base):
    """A meeting of entries in one round of a tournament. One entrant alone has a bye."""

    __tablename__ = "pairings"
    __table_args__ = (Index(None, "tournament_id", "decided"),)

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    board: Mapped[int] = mapped_column(primary_key=True)
    entrants: Mapped[list[int]]
    """Their seedings, in the order of the seats of the first game."""
    games: Mapped[int]
    """How many have been asked for."""
    tally: Mapped[dict[str, Any]]
    """What has been counted for its entrants (`ladder.tallies`)."""
    decided: Mapped[bool]
    winner: Mapped[int | None]
    """Its seeding; none while it is open, in a tie, and where all entrants have left."""
    note: Mapped[str] = mapped_column(default="")
    """How it was decided, if not by points."""


class AdminAction(Base):
    """What somebody with all rights did by hand."""

    __tablename__ = "admin_actions"
    __table_args__ = (Index(None, "target", "target_id"),)

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    at: Mapped[datetime]
    actor: Mapped[str]
    action: Mapped[str] = mapped_column(String(24))
    target: Mapped[str] = mapped_column(String(24))
    target_id: Mapped[int] = mapped_column(BigInteger)
    detail: Mapped[str] = mapped_column(default="")


class Challenge(Base):
    """Who asked for an unrated match."""

    __tablename__ = "challenges"
    __table_args__ = (Index(None, "account_id", "created_at"),)

    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    created_at: Mapped[datetime]


class Failure(Base):
    """An attempt to play a match that came to nothing through our own fault."""

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


class EvolutionSchedule(Base):
    """A recurring run of evolution: at the times of a cron expression, or after a league."""

    __tablename__ = "evolution_schedules"
    __table_args__ = (UniqueConstraint("game", "bot_key"),)

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    bot_name: Mapped[str]
    """The bot that its champions are versions of."""
    bot_key: Mapped[str]
    owner_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    league_id: Mapped[int | None] = mapped_column(ForeignKey("leagues.id"))
    """The league whose tournaments it follows; none with a cron expression."""
    cron: Mapped[str | None]
    timezone: Mapped[str]
    guides: Mapped[str]
    """Whom to breed against, such as `ladder:3`; looked up anew for each run."""
    settings: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]


class EvolutionRun(Base):
    __tablename__ = "evolution_runs"
    __table_args__ = (
        UniqueConstraint("schedule_id", "scheduled_for"),
        Index(None, "status", "id"),
        Index(None, "game", "id"),
    )

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    schedule_id: Mapped[int | None] = mapped_column(
        ForeignKey("evolution_schedules.id", ondelete="SET NULL")
    )
    scheduled_for: Mapped[datetime | None]
    game: Mapped[str] = mapped_column(String(40))
    domain: Mapped[str] = mapped_column(String(40))
    status: Mapped[EvolutionStatus]
    seed: Mapped[int] = mapped_column(BigInteger)
    settings: Mapped[dict[str, Any]]
    """What was asked of it: preset, generations, population and so on."""
    bot_name: Mapped[str]
    owner_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    version_id: Mapped[int | None] = mapped_column(ForeignKey("versions.id"), index=True)
    """Its champion."""
    report: Mapped[dict[str, Any] | None]
    simplified: Mapped[str] = mapped_column(default="")
    """The champion without what has no effect."""
    attempts: Mapped[int] = mapped_column(default=0)
    """How often it was begun or gone on with since it last made progress."""
    lease_owner: Mapped[str | None]
    lease_until: Mapped[datetime | None]
    trouble: Mapped[str] = mapped_column(default="")
    """What went wrong at the latest attempt."""
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]


class EvolutionGuide(Base):
    """A version that a run is bred against, fixed when the run was asked for."""

    __tablename__ = "evolution_guides"

    run_id: Mapped[int] = mapped_column(ForeignKey("evolution_runs.id"), primary_key=True)
    place: Mapped[int] = mapped_column(primary_key=True)
    """From 1, in the order in which they were named; leaders best first."""
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"))


class EvolutionGeneration(Base):
    """The numbers of one generation, as the run logged them."""

    __tablename__ = "evolution_generations"

    run_id: Mapped[int] = mapped_column(ForeignKey("evolution_runs.id"), primary_key=True)
    generation: Mapped[int] = mapped_column(primary_key=True)
    best: Mapped[float] = mapped_column(Float)
    mean: Mapped[float] = mapped_column(Float)
    stdev: Mapped[float] = mapped_column(Float)
    worst: Mapped[float] = mapped_column(Float)
    size_mean: Mapped[float] = mapped_column(Float)
    size_best: Mapped[float] = mapped_column(Float)
    depth_mean: Mapped[float] = mapped_column(Float)
    diversity: Mapped[float | None] = mapped_column(Float)
    games: Mapped[int] = mapped_column(BigInteger)
    instructions: Mapped[int] = mapped_column(BigInteger)
