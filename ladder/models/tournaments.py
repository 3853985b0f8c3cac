"""Leagues, tournaments, and the actions of admins."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Float, ForeignKey, Index, LargeBinary, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ladder.models.base import Base, Id
from ladder.values import TournamentStatus


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
    """The number of the best bots that are entered."""
    format: Mapped[str] = mapped_column(String(24))
    options: Mapped[dict[str, Any]]
    """Of the format."""
    per_owner: Mapped[int | None]
    """Most bots of one owner that are entered."""
    rated: Mapped[bool]
    paused: Mapped[bool] = mapped_column(default=False)
    """Whether it is paused: its times pass without a run."""
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
    """The number of paired rounds."""
    winner: Mapped[int | None]
    """The seeding of the sole winner, once it is finished."""
    scheduled_for: Mapped[datetime]
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]


class Entry(Base):
    """A bot in a tournament, with the sums of its results so far."""

    __tablename__ = "entries"
    __table_args__ = (Index(None, "version_id"),)

    tournament_id: Mapped[int] = mapped_column(ForeignKey("tournaments.id"), primary_key=True)
    version_id: Mapped[int] = mapped_column(ForeignKey("versions.id"), primary_key=True)
    seeding: Mapped[int]
    """Place on the board when it was entered, from 1."""
    withdrawn: Mapped[int | None]
    """The round in which it left; its opponents win its games from then on."""
    points: Mapped[float] = mapped_column(Float)
    wins: Mapped[int]
    draws: Mapped[int]
    losses: Mapped[int]
    byes: Mapped[int]
    lean: Mapped[int]
    """Games in the first seat minus games in another one."""
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
    """The number of queued games."""
    tally: Mapped[dict[str, Any]]
    """The sums counted for its entrants (`ladder.scoring.tallies`)."""
    decided: Mapped[bool]
    winner: Mapped[int | None]
    """The seeding of the winner; none while it is open, in a tie, and where all entrants have left.
    """
    note: Mapped[str] = mapped_column(default="")
    """The reason of the decision, if not points."""


class AdminAction(Base):
    """An action of an admin."""

    __tablename__ = "admin_actions"
    __table_args__ = (Index(None, "target", "target_id"),)

    id: Mapped[int] = mapped_column(Id, primary_key=True)
    at: Mapped[datetime]
    actor: Mapped[str]
    action: Mapped[str] = mapped_column(String(24))
    target: Mapped[str] = mapped_column(String(24))
    target_id: Mapped[int] = mapped_column(BigInteger)
    detail: Mapped[str] = mapped_column(default="")
