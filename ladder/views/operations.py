"""Views for admins: failures, parked matches, actions, health."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ladder.values import Fault, Purpose


@dataclass(frozen=True, slots=True)
class FailureView:
    """An attempt to play a match that failed through our own fault."""

    attempt: int
    at: datetime
    worker: str
    fault: Fault
    """The cause: the worker (process, machine, sandbox) or the referee (our own code)."""
    trouble: str


@dataclass(frozen=True, slots=True)
class ParkedMatch:
    """A match that failed too often through our own fault, and waits for an admin."""

    id: int
    game: str
    purpose: Purpose
    tournament_id: int | None
    seed: int
    attempts: int
    created_at: datetime
    bots: list[str]
    failures: list[FailureView]
    """Oldest first."""


@dataclass(frozen=True, slots=True)
class QuarantineView:
    """A worker that gets no more matches, because its results cannot be repeated."""

    worker: str
    since: datetime
    match_id: int
    reason: str


@dataclass(frozen=True, slots=True)
class Troubles:
    parked: list[ParkedMatch]
    quarantines: list[QuarantineView]


@dataclass(frozen=True, slots=True)
class ActionView:
    """An action of an admin."""

    at: datetime
    actor: str
    action: str
    target: str
    target_id: int
    detail: str


@dataclass(frozen=True, slots=True)
class ActionList:
    actions: list[ActionView]
    """Newest first."""


@dataclass(frozen=True, slots=True)
class Health:
    status: str
    version: str
    queue: int
    """Matches waiting for a worker."""
    running: int
    sandbox: str
    """The tier in which uploaded bots run, or `none`."""
    not_played: dict[str, str]
    """Games whose matches do not begin now, by name, and why: most are being compiled."""
    left_out: list[str]
    """Plug-ins that cannot be played; the log and the administration page say why."""
