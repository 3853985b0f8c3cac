"""Use case of admins who watch the server: the queue, the workers and failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ladder.contests.tournaments import action_view
from ladder.store import Database, actions, faults, oversight
from ladder.store.database import Row, now
from ladder.values import Ending, Fault, Purpose
from ladder.views import ActionView

LATEST = 2_000
"""Latest matches that are read for workers and endings."""

FAILURE_DAYS = 7
RUNNING_SHOWN = 100
ACTIONS_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Waiting:
    purpose: Purpose
    game: str
    number: int
    oldest: datetime


@dataclass(frozen=True, slots=True)
class Running:
    id: int
    game: str
    purpose: Purpose
    bots: list[str]
    attempt: int
    worker: str
    until: datetime
    """The end of its lease, unless it is renewed."""


@dataclass(frozen=True, slots=True)
class Worker:
    name: str
    processes: int
    """The number of the latest matches that it played."""
    running: int
    played: int
    """Of the latest matches."""
    last_seen: datetime
    quarantined: bool


@dataclass(frozen=True, slots=True)
class Failures:
    fault: Fault
    worker: str
    number: int
    last: datetime


@dataclass(frozen=True, slots=True)
class Overview:
    queue: list[Waiting]
    running: list[Running]
    running_in_all: int
    workers: list[Worker]
    failures: list[Failures]
    endings: list[tuple[Ending, int]]


def overview(db: Database, lease_seconds: float) -> Overview:
    """An overview. The end of a lease minus `lease_seconds` is the time of its renewal."""
    with db.read() as c:
        queue = oversight.queue(c)
        running = oversight.running(c)
        names = faults.names(c, [row.id for row in running[:RUNNING_SHOWN]])
        players = oversight.players(c, LATEST)
        shut_out = {row.worker for row in faults.quarantines(c)}
        failures = oversight.failures(c, now() - timedelta(days=FAILURE_DAYS))
        endings = oversight.endings(c, LATEST)
    return Overview(
        queue=[Waiting(row.purpose, row.game, row.number, row.oldest) for row in queue],
        running=[
            Running(
                id=row.id,
                game=row.game,
                purpose=row.purpose,
                bots=names[row.id],
                attempt=row.attempts,
                worker=row.lease_owner,
                until=row.lease_until,
            )
            for row in running[:RUNNING_SHOWN]
        ],
        running_in_all=len(running),
        workers=_workers(running, players, shut_out, timedelta(seconds=lease_seconds)),
        failures=[Failures(row.fault, row.worker, row.number, row.last) for row in failures],
        endings=[(row.ending, row.number) for row in endings],
    )


def _workers(
    running: Sequence[Row], players: Sequence[Row], shut_out: set[str], lease: timedelta
) -> list[Worker]:
    """Machines by name; owners of leases are `name:process:word`."""
    seen: dict[str, datetime] = {}
    plays: Counter[str] = Counter()
    played: Counter[str] = Counter()
    processes: dict[str, set[str]] = {}
    told = [(row.lease_owner, row.lease_until - lease) for row in running]
    told += [(row.worker, row.last) for row in players]
    for owner, at in told:
        name = owner.partition(":")[0]
        seen[name] = max(at, seen.get(name, at))
        processes.setdefault(name, set()).add(owner)
    for row in running:
        plays[row.lease_owner.partition(":")[0]] += 1
    for row in players:
        played[row.worker.partition(":")[0]] += row.number
    return [
        Worker(name, len(processes[name]), plays[name], played[name], seen[name], name in shut_out)
        for name in sorted(seen)
    ]


@dataclass(frozen=True, slots=True)
class AuditPage:
    actions: list[ActionView]
    """Newest first."""
    next: int | None


def audit_page(db: Database, below: int | None) -> AuditPage:
    """The actions of admins before the action number `below`."""
    with db.read() as c:
        rows = actions.actions(c, limit=ACTIONS_SHOWN, below=below)
    more = len(rows) == ACTIONS_SHOWN
    return AuditPage([action_view(row) for row in rows], rows[-1].id if more else None)
