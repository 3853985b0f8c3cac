"""Use cases of servers that run evolution: leasing runs, recording progress, entering champions.

A run belongs to its lease. A report under an ended lease changes nothing, so a run's champion is
entered once, also if servers die.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import msgspec

from engines.games import find_game
from ladder.errors import BadUpload, Refusal
from ladder.events import news
from ladder.runner.uploads import check_upload
from ladder.store import Connection, Database, bots, evolution
from ladder.store.database import now
from ladder.uploads.submissions import Upload, enter
from ladder.values import EvolutionStatus, Kind, distinct_names, full_name
from ladder.views import EvolutionReport, GenerationView, Lineage, LineageGuide

MAX_ATTEMPTS = 3
"""Starts without a further generation after which a run is given up."""

_LEASING = 0xE702
"""A lock: servers count running runs and lease one more, one after the other."""


@dataclass(frozen=True, slots=True)
class Guide:
    name: str
    kind: Kind
    sha256: str
    code: bytes | None = field(repr=False)
    """The upload; none for a house bot."""


@dataclass(frozen=True, slots=True)
class RunJob:
    """Everything that determines a run."""

    run_id: int
    lease: str
    domain: str
    seed: int
    settings: dict[str, Any]
    guides: tuple[Guide, ...]


def lease(
    db: Database, lease: str, seconds: float, most: int, games: Sequence[str] | None = None
) -> RunJob | None:
    """Lease the oldest waiting run, unless `most` run already; `lease` is a new unique word.

    Only of these games, if they are named.
    """
    at = now()
    with db.write(alone=_LEASING) as c:
        if evolution.count_running(c) >= most:
            return None
        run_id = evolution.lease(c, lease, at, at + timedelta(seconds=seconds), games)
        if run_id is None:
            return None
        news.run_moved(c, run_id, EvolutionStatus.RUNNING)
        return _job(c, run_id, lease)


def _job(c: Connection, run_id: int, lease: str) -> RunJob:
    row = evolution.run(c, run_id)
    assert row is not None
    guides = evolution.guides(c, run_id)
    code = bots.blobs(c, [guide.sha256 for guide in guides])
    # Plain where possible: a run that an earlier release began knows its guides by these names.
    names = distinct_names([(guide.owner, guide.name) for guide in guides])
    return RunJob(
        run_id=run_id,
        lease=lease,
        domain=row.domain,
        seed=row.seed,
        settings=row.settings,
        guides=tuple(
            Guide(name, guide.kind, guide.sha256, code.get(guide.sha256))
            for name, guide in zip(names, guides, strict=True)
        ),
    )


def record(db: Database, job: RunJob, seconds: float, lines: Sequence[GenerationView]) -> bool:
    """Renew the lease and keep the generations that are new; False when the lease is gone."""
    with db.write() as c:
        if not evolution.renew(c, job.lease, job.run_id, now() + timedelta(seconds=seconds)):
            return False
        last = evolution.last_generation(c, job.run_id)
        fresh = {line.generation: line for line in lines if last is None or line.generation > last}
        rows = [msgspec.to_builtins(fresh[generation]) for generation in sorted(fresh)]
        if rows:
            evolution.insert_generations(c, job.run_id, rows)
            evolution.set_attempts(c, job.run_id, 1)
            news.run_moved(c, job.run_id, EvolutionStatus.RUNNING, max(fresh))
    return True


def finish(db: Database, job: RunJob, champion: bytes, report: bytes, simplified: str = "") -> bool:
    """Enter the champion and end the run; False when the lease is gone. Raises `Refusal`."""
    told = read_report(report)
    raw = msgspec.json.decode(report)
    with db.write() as c:
        if not evolution.renew(c, job.lease, job.run_id, now()):
            return False
        row = evolution.run(c, job.run_id)
        assert row is not None
        if check_upload(find_game(row.game), champion) is not Kind.PROGRAM:
            raise BadUpload("the champion is not a program")
        lineage = Lineage(
            run=job.run_id,
            domain=row.domain,
            seed=row.seed,
            guides=[
                LineageGuide(full_name(guide.owner, guide.name), guide.bot_id, guide.sha256)
                for guide in evolution.guides(c, job.run_id)
            ],
            generation=told.champion.generation,
            generations=told.generations,
            population=int(told.settings.get("population", row.settings.get("population", 0))),
        )
        upload = Upload(row.game, row.bot_name, champion)
        _, version_id = enter(c, row.owner_id, upload, Kind.PROGRAM, lineage)
        news.run_moved(c, job.run_id, EvolutionStatus.FINISHED)
        return evolution.move(
            c,
            job.run_id,
            EvolutionStatus.FINISHED,
            version_id=version_id,
            report=raw,
            simplified=simplified,
            trouble="",
            ended_at=now(),
        )


def read_report(report: bytes) -> EvolutionReport:
    try:
        return msgspec.json.decode(report, type=EvolutionReport)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Refusal("the report of the run cannot be read") from error


def hand_back(db: Database, job: RunJob) -> None:
    """Return the run to the queue; the attempt does not count."""
    with db.write() as c:
        if evolution.renew(c, job.lease, job.run_id, now()):
            row = evolution.run(c, job.run_id)
            assert row is not None
            left = max(0, row.attempts - 1)
            evolution.move(c, job.run_id, EvolutionStatus.QUEUED, attempts=left)
            news.run_moved(c, job.run_id, EvolutionStatus.QUEUED)


def give_up(db: Database, job: RunJob, trouble: str, for_good: bool = False) -> None:
    """After a failure: requeue the run, or give it up after too many attempts or a permanent
    failure.
    """
    with db.write() as c:
        if evolution.renew(c, job.lease, job.run_id, now()):
            row = evolution.run(c, job.run_id)
            assert row is not None
            _retry(c, job.run_id, MAX_ATTEMPTS if for_good else row.attempts, trouble, now())


def expire(db: Database, at: datetime | None = None) -> int:
    """Requeue the runs of servers that stopped answering; return their number."""
    at = at or now()
    with db.write() as c:
        silent = evolution.overdue(c, at)
        for row in silent:
            _retry(c, row.id, row.attempts, "the server that ran it stopped answering", at)
    return len(silent)


def _retry(c: Connection, run_id: int, attempts: int, trouble: str, at: datetime) -> None:
    if attempts >= MAX_ATTEMPTS:
        evolution.move(c, run_id, EvolutionStatus.FAILED, trouble=trouble, ended_at=at)
        news.run_moved(c, run_id, EvolutionStatus.FAILED)
    else:
        evolution.move(c, run_id, EvolutionStatus.QUEUED, trouble=trouble)
        news.run_moved(c, run_id, EvolutionStatus.QUEUED)
