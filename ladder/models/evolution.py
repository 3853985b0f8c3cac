"""Runs of evolution and their schedules."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Float, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from ladder.models.base import Base, Id
from ladder.values import EvolutionStatus


class EvolutionSchedule(Base):
    """A recurring run of evolution, at the times of a cron expression or after a league."""

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
    """The guides, such as `ladder:3`; looked up for each run."""
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
    """Its requested settings: preset, generations, population and so on."""
    bot_name: Mapped[str]
    owner_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    version_id: Mapped[int | None] = mapped_column(ForeignKey("versions.id"), index=True)
    """Its champion."""
    report: Mapped[dict[str, Any] | None]
    simplified: Mapped[str] = mapped_column(default="")
    """The champion without the parts that have no effect."""
    attempts: Mapped[int] = mapped_column(default=0)
    """Starts and resumptions since it last made progress."""
    lease_owner: Mapped[str | None]
    lease_until: Mapped[datetime | None]
    trouble: Mapped[str] = mapped_column(default="")
    """The error of the latest attempt."""
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
    """The figures of one generation, as the run logged them."""

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
