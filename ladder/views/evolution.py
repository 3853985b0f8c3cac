"""Runs of evolution, their champions and schedules."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ladder.values import EvolutionStatus, Kind


@dataclass(frozen=True, slots=True)
class EvolutionRef:
    """A run of evolution, in a list."""

    id: int
    game: str
    domain: str
    """The set of rules, primitives and parameters that it breeds by."""
    status: EvolutionStatus
    seed: int
    """Fixes the run, together with its settings and guides."""
    owner: str
    bot: str
    """Name of the bot whose next version its champion is."""
    bot_id: int | None
    """Null until the champion has been entered."""
    version: int | None
    generation: int | None
    """The latest that has ended; null before the first."""
    best: float | None
    """Best fitness in that generation."""
    scheduled_for: datetime | None
    """Null when a person started it."""
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class EvolutionPage:
    rows: list[EvolutionRef]
    """Newest first."""
    next: str | None


@dataclass(frozen=True, slots=True)
class GuideView:
    """A version that a run is bred against."""

    name: str
    bot_id: int
    version: int
    owner: str
    kind: Kind
    sha256: str


@dataclass(frozen=True, slots=True)
class GenerationView:
    generation: int
    best: float
    mean: float
    stdev: float
    worst: float
    size_mean: float
    """Nodes of an individual."""
    size_best: float
    depth_mean: float
    diversity: float | None
    games: int
    instructions: int
    """Executed by the programs of this generation."""


@dataclass(frozen=True, slots=True)
class FinalLine:
    """The champion's score after evolution against one or several opponents in one game."""

    opponent: str
    """The names of the opponents, separated by commas."""
    games: int
    wins: int
    draws: int
    losses: int
    share: float
    """Of the points, from 0 to 1."""
    low: float
    """Lower end of the confidence interval of the share."""
    high: float


@dataclass(frozen=True, slots=True)
class Finals:
    guides: list[FinalLine]
    holdout: list[FinalLine]
    """Opponents that fitness never used: a lower score here means overfitting."""
    judges: list[FinalLine] = field(default_factory=list)
    """Opponents that helped to choose the champion among the finalists."""


@dataclass(frozen=True, slots=True)
class ChampionView:
    sha256: str
    generation: int
    size: int
    depth: int
    fitness: float
    island: int = 0


@dataclass(frozen=True, slots=True)
class EvolutionReport:
    """The report of a finished run."""

    generations: int
    stopped: str
    """The reason of its end: `generations`, `time` or `plateau`."""
    games: int
    seconds: float
    champion: ChampionView
    finals: Finals
    settings: dict[str, Any] = field(default_factory=dict)
    skipped: list[dict[str, Any]] = field(default_factory=list)
    """Requested guides that could not play."""
    failed_guides: list[dict[str, Any]] = field(default_factory=list)
    """Guides that failed, and their replacements."""


@dataclass(frozen=True, slots=True)
class EvolutionView:
    run: EvolutionRef
    settings: dict[str, Any]
    """Its requested settings; the others are the domain's defaults."""
    guides: list[GuideView]
    generations: list[GenerationView]
    report: EvolutionReport | None
    sha256: str | None
    """Of the champion; its text is at `/api/v1/versions/{sha256}/program`."""
    simplified: str
    """The champion without the parts that have no effect; empty when it is unknown."""
    trouble: str
    """The error of the latest attempt."""


@dataclass(frozen=True, slots=True)
class EvolutionScheduleView:
    id: int
    game: str
    bot: str
    owner: str
    league: str | None
    """Runs after each tournament of this league; null with a cron expression."""
    cron: str | None
    timezone: str
    guides: str
    settings: dict[str, Any]
    next_run: datetime | None
    """Null when it follows a league."""
