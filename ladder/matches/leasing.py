"""Leases of matches: taken, renewed, given up and handed back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from itertools import groupby

from ladder.boards import ladders
from ladder.errors import NotFound
from ladder.events import news
from ladder.store import Connection, Database, bots, faults, matches, queue
from ladder.store.database import now
from ladder.values import (
    Entrant,
    Fault,
    Kind,
    Limits,
    MatchJob,
    Purpose,
    VersionStatus,
    distinct_names,
)

MOST_FAILURES = {Fault.REFEREE: 3, Fault.WORKER: 10}
"""Failures through our fault after which a match is parked for an admin.

Code that fails once fails again; but workers are killed, and machines restarted, through no fault
of the match that they happened to play.
"""


SILENT = "the worker that played it stopped answering"


@dataclass(frozen=True, slots=True)
class Playable:
    """The matches that a dispatcher can play."""

    kinds: Sequence[Kind]
    """All bots of a match are of these kinds."""
    games: Sequence[str] | None = None
    """None: all games."""
    limits: Limits = field(default_factory=Limits)
    """The limits that it gives the bots."""

    def lease_by(self, owner: str, seconds: float) -> queue.Lease:
        return queue.Lease(owner, now() + timedelta(seconds=seconds), self.kinds, self.games)


def lease(
    db: Database, owner: str, seconds: float, limit: int, playable: Playable
) -> list[MatchJob]:
    """Take up to `limit` matches off the queue to play them; the lease must be renewed."""
    with db.write() as c:
        if faults.in_quarantine(c, owner.partition(":")[0]):
            return []
        ids = queue.lease(c, playable.lease_by(owner, seconds), limit)
        return _begin(c, ids, playable.limits)


@dataclass(frozen=True, slots=True)
class FreeSlots:
    """The number of matches that a dispatcher can take, and the accounts whose newcomers it plays.

    Newcomers go to workers that are idle and, when there are none, to reserved slots. They are
    never leased ahead: they would wait behind others.
    """

    others: int
    """Matches that are not for newcomers, including those that are leased ahead."""
    idle: int
    """Workers that are free for newcomers or other matches."""
    share: int
    """Most workers that may play newcomers of one account."""
    reserved: int
    """Free slots for newcomers only; an account may have one."""
    held: Counter[int | None]
    """Newcomers that workers play, by account."""
    held_reserved: Counter[int | None]
    """Newcomers in reserved slots, by account."""


def fill_slots(
    db: Database, owner: str, seconds: float, free: FreeSlots, playable: Playable
) -> list[MatchJob]:
    """Take matches off the queue for the free slots, newcomers first; otherwise as `lease`."""
    with db.write() as c:
        if faults.in_quarantine(c, owner.partition(":")[0]):
            return []
        wanted = playable.lease_by(owner, seconds)
        take = partial(queue.lease_newcomers, c, wanted)
        new = take(free.idle, held=Counter(free.held), share=free.share, house=True)
        reserved = take(free.reserved, held=Counter(free.held_reserved), share=1, house=False)
        others = queue.lease(c, wanted, max(0, free.others - len(new)), Purpose.TOURNAMENT)
        jobs = _begin(c, [*new, *reserved, *others], playable.limits)
        return [replace(job, reserved=job.match_id in reserved) for job in jobs]


def _begin(c: Connection, ids: Sequence[int], limits: Limits) -> list[MatchJob]:
    """The jobs of matches that have just been leased."""
    if not ids:
        return []
    jobs = _jobs(c, ids, limits)
    for version_id in matches.validated_by(c, ids):
        version = bots.version(c, version_id)
        news.version_moved(c, version, VersionStatus.VALIDATING, playing=True)
    return jobs


def job_again(db: Database, match_id: int, limits: Limits) -> MatchJob:
    """The job of a match that has been played, to play it again."""
    with db.read() as c:
        jobs = _jobs(c, [match_id], limits)
    if not jobs:
        raise NotFound(f"there is no match {match_id}")
    return jobs[0]


def _jobs(c: Connection, match_ids: Sequence[int], limits: Limits) -> list[MatchJob]:
    rows = queue.jobs(c, match_ids)
    code = bots.blobs(c, {row.sha256 for row in rows if row.kind is not Kind.HOUSE})
    jobs, at = [], now()
    for _, group in groupby(rows, key=lambda row: row.id):
        seats = list(group)
        # Plain where possible: a replay of an earlier release, played again, must be the same.
        names = distinct_names([(seat.owner, seat.name) for seat in seats])
        entrants = tuple(
            Entrant(name, seat.kind, seat.sha256, code.get(seat.sha256))
            for name, seat in zip(names, seats, strict=True)
        )
        first = seats[0]
        game = ladders.installed(first.game)
        divided = game is not None and bool(game.divisions)
        waited = (at - first.created_at).total_seconds() if first.attempts == 1 else 0.0
        jobs.append(
            MatchJob(
                first.id,
                first.attempts,
                first.game,
                first.seed,
                entrants,
                limits,
                measured=(0,) if first.purpose is Purpose.VALIDATION and divided else (),
                purpose=first.purpose,
                waited_s=max(0.0, waited),
                account_id=first.account_id,
            )
        )
    return jobs


def renew(db: Database, owner: str, match_ids: Sequence[int], seconds: float) -> None:
    with db.write() as c:
        queue.renew(c, owner, match_ids, now() + timedelta(seconds=seconds))


def give_up(
    db: Database,
    owner: str,
    job: MatchJob,
    trouble: str,
    fault: Fault = Fault.WORKER,
    counts: bool = True,
) -> None:
    """Requeue a match that failed through no fault of a bot, or park it after several tries.

    Out-of-disk and out-of-memory failures do not count as attempts: they do not depend on the
    match.
    """
    with db.write() as c:
        if counts:
            _give_up(c, owner, job.match_id, job.attempt, trouble, fault)
        else:
            queue.release(c, owner, job.match_id, job.attempt, trouble, park=False)


def _give_up(
    c: Connection, owner: str, match_id: int, attempt: int, trouble: str, fault: Fault
) -> None:
    park = faults.count(c, match_id, fault) + 1 >= MOST_FAILURES[fault]
    if queue.release(c, owner, match_id, attempt, trouble, park):
        faults.insert_failure(c, match_id, attempt, owner, fault, trouble)


def hand_back(db: Database, owner: str) -> int:
    """Requeue the matches that a stopping worker could not finish; return their number."""
    with db.write() as c:
        return queue.hand_back(c, owner)


def expire(db: Database) -> list[int]:
    """Requeue the matches of workers that went silent."""
    with db.write() as c:
        silent = queue.overdue(c, now())
        for row in silent:
            _give_up(c, row.lease_owner, row.id, row.attempts, SILENT, Fault.WORKER)
        return [row.id for row in silent]
