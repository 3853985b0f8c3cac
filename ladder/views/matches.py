"""Matches, their seats, logs and challenges."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from ladder.values import Ending, Kind, MatchStatus, Purpose


@dataclass(frozen=True, slots=True)
class SeatView:
    seat: int
    bot: str
    bot_id: int
    owner: str
    version: int
    kind: Kind
    score: float | None
    rank: int | None
    at_fault: bool
    cpu_ms: float | None = None
    slowest_move_ms: float | None = None
    columns: dict[str, float] = field(default_factory=dict)
    """Other values that the game counted."""
    mu_before: float | None = None
    sigma_before: float | None = None
    mu_after: float | None = None
    sigma_after: float | None = None


@dataclass(frozen=True, slots=True)
class MatchView:
    id: int
    game: str
    status: MatchStatus
    purpose: Purpose
    rated: bool
    seed: int
    ending: Ending | None
    explanation: str
    plies: int | None
    tournament_id: int | None
    created_at: datetime
    finished_at: datetime | None
    replay_removed: bool
    """Whether its replay and logs have been removed because of their age."""
    seats: list[SeatView]


@dataclass(frozen=True, slots=True)
class MatchPage:
    rows: list[MatchView]
    """Newest first."""
    next: str | None


@dataclass(frozen=True, slots=True)
class FrameView:
    """A picture of a match: a position, a frame of a simulation, or a step of a solution."""

    number: int
    """From 0: how many moves or steps have been made, or which frame it is."""
    seat: int | None
    """The seat that made the last move, or whose solution it shows; null at the start."""
    move: str | None
    """The move or step that led here; null at the start, and in simulations."""
    position: str
    """The position, or the instance of a puzzle; empty in simulations."""
    svg: str


@dataclass(frozen=True, slots=True)
class FrameList:
    match_id: int
    frames: list[FrameView]
    """By number; of a puzzle one per seat, as long as its solution goes on."""
    last: int
    """The greatest number of a picture of this match, or of the instance that was asked for."""
    instances: int
    """Of a puzzle; 0 for other games."""


@dataclass(frozen=True, slots=True)
class SeatLogView:
    seat: int
    bot: str
    complaint: str
    """One sentence about the fault; empty without a fault, or when its log has been removed."""
    stderr: str
    """The end of its stderr, in the newest matches of its owner; older logs are removed."""


@dataclass(frozen=True, slots=True)
class MatchLogs:
    match_id: int
    logs: list[SeatLogView]
    """Only of the seats that the reader owns; all for an admin."""


@dataclass(frozen=True, slots=True)
class ChallengeView:
    """The answer to a challenge."""

    id: int
    """Of the first match."""
    status: MatchStatus
    game: str
    seed: int
    matches: list[int]
