"""Accounts, their bots, the versions of these, and their ratings."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Float,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from ladder.models.base import Base, Id
from ladder.values import Kind, Role, TokenUse, VersionStatus


class Account(Base):
    __tablename__ = "accounts"

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    name: Mapped[str]
    name_key: Mapped[str] = mapped_column(unique=True)
    """The name as it is compared: case does not tell two accounts apart."""
    role: Mapped[Role]
    created_at: Mapped[datetime]
    banned_at: Mapped[datetime | None]
    """The time of its ban; none: it is not banned."""
    ban_reason: Mapped[str | None]
    allowance: Mapped[dict[str, int] | None]
    """Its own limits, by the names of `ladder.values.Allowance`."""


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
    """An uploaded file, stored once for any number of uploads."""

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
    """The reason for its rejection or suspension, for its owner."""
    measures: Mapped[dict[str, int] | None]
    """Sizes of its code; none where they were not asked for, or could not be measured."""
    open_only: Mapped[str] = mapped_column(default="")
    """The reason why it is in no division by code size, for its owner."""
    divisions: Mapped[list[str] | None]
    """The divisions that it was accepted into."""
    validation_match_id: Mapped[int | None] = mapped_column(ForeignKey("matches.id"))
    """Its validation match; none for house bots."""
    lineage: Mapped[dict[str, Any] | None]
    """The claimed origin of an evolved version. An uploader may claim anything."""
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
    """mu - 3 sigma, by which the board is sorted."""
    matches: Mapped[int]
    wins: Mapped[int]
    draws: Mapped[int]
    losses: Mapped[int]
    share_sum: Mapped[float] = mapped_column(Float)
    """Sum of its scores; a seat at fault scores nothing."""
    columns: Mapped[dict[str, float] | None]
    """Sums of other values that the game counts."""
    latest: Mapped[str] = mapped_column(String(10))
    """Its last ten results as letters, the newest last (`ladder.scoring.skill`)."""
    course: Mapped[bytes] = mapped_column(LargeBinary)
    """Its earlier scores, in few points (`ladder.scoring.skill`)."""
    places: Mapped[list[int] | None]
    """How often it took each place, in matches of more than two seats."""
    field: Mapped[dict[str, list[float]] | None]
    """By house bot: how often it met it, and the sum of its own scores then."""
    on_board: Mapped[bool] = mapped_column(Boolean)
    """Whether this is its bot's newest accepted version: the one that is paired and shown."""
    last_number: Mapped[int] = mapped_column(BigInteger)
    """Log number of its latest match; the least is the most starved bot."""


class BoardDay(Base):
    """A ladder at the start of a day (UTC), best first."""

    __tablename__ = "board_days"

    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    division: Mapped[str] = mapped_column(String(20), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    """As `2026-11-01`."""
    taken_at: Mapped[datetime]
    """The first moment of the day at which a server ran."""
    places: Mapped[bytes] = mapped_column(LargeBinary)
    """A packed row for each bot (`ladder.store.board_days`)."""
