"""Playing finished matches again, to see whether those who played them can be trusted.

House bots and programs play the same match in the same way every time, so a worker whose result
differs from ours, twice, gets no more matches. Other bots need not repeat themselves: of theirs,
the recorded moves are checked against the rules, and the result against the moves.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from engines.game import Simulation
from engines.games import by_name
from ladder import matches
from ladder.errors import LadderError, Refusal
from ladder.replays import ReplayStore
from ladder.runner import play_job
from ladder.runner.fingerprint import rules_fingerprint
from ladder.runner.replay import (
    REFEREE_VERSION,
    Replay,
    decode,
    frames,
    moves_digest,
    replayed_outcome,
    verify,
)
from ladder.store import Database, actions, faults
from ladder.store import matches as stored
from ladder.store.database import Row, now
from ladder.submissions import house_digest
from ladder.values import Ending, Kind, Limits, MatchJob, MatchReport

_IDS = 10_000

Player = Callable[[MatchJob], MatchReport]


class Finding(StrEnum):
    REPEATED = "repeated"
    """Played again, it went the same way, move by move."""
    CHECKED = "checked"
    """Its moves are legal and give its result."""
    SKIPPED = "skipped"
    """It cannot be repeated: another referee, another revision of a house bot, a simulation."""
    OTHER_RULES = "made under other rules"
    """The code of its game has changed since, so that another course would mean nothing."""
    LOST = "lost"
    """Its replay is missing or damaged."""
    DIFFERENT = "different"
    """It went another way than was recorded."""
    UNSTABLE = "unstable"
    """It goes another way every time: bots that ought to be deterministic are not."""


@dataclass(frozen=True, slots=True)
class Audit:
    match_id: int
    finding: Finding
    detail: str = ""
    worker: str = ""
    """Who played it."""
    quarantined: bool = False
    """Whether that worker gets no more matches because of it."""


def sample(
    db: Database, share: float, rng: random.Random, game: str | None = None
) -> Iterator[int]:
    """About that share of all finished matches, oldest first."""
    above = 0
    while True:
        with db.read() as c:
            ids = faults.finished_ids(c, game, above, _IDS)
        if not ids:
            return
        yield from (one for one in ids if rng.random() < share)
        above = ids[-1]


def audit(
    db: Database,
    replays: ReplayStore,
    match_id: int,
    limits: Limits,
    scratch: Path,
    play: Player | None = None,
) -> Audit:
    """Look at one finished match, and shut its worker out if it cannot be trusted."""
    play = play or (lambda job: play_job(job, scratch, None))
    job = matches.job_again(db, match_id, limits)
    with db.read() as c:
        row = stored.match(c, match_id)
        assert row is not None
        scores = [seat.score for seat in stored.seats_of(c, [match_id])[match_id]]
    worker = worker_name(row.worker or "")
    try:
        document = decode(replays.read(match_id))
    except Refusal as error:
        return Audit(match_id, Finding.LOST, str(error), worker)
    if list(document.verdict.scores) != scores:
        detail = "The replay and the recorded result are not the same."
        return _blame(db, Audit(match_id, Finding.DIFFERENT, detail, worker))
    if row.rules != rules_fingerprint(by_name(job.game)):
        return Audit(match_id, Finding.OTHER_RULES, worker=worker)
    if not _repeats(row, job):
        return _check_moves(match_id, document, worker)
    difference = verify(document, again := play(job))
    if difference is None:
        return Audit(match_id, Finding.REPEATED, worker=worker)
    if moves_digest(decode(again.replay)) != moves_digest(decode(play(job).replay)):
        return Audit(match_id, Finding.UNSTABLE, difference, worker)
    return _blame(db, Audit(match_id, Finding.DIFFERENT, difference, worker))


def worker_name(owner: str) -> str:
    """The worker that holds a lease: leases are owned by its processes."""
    return owner.partition(":")[0]


def _repeats(row: Row, job: MatchJob) -> bool:
    """Whether playing it again must give the same result."""
    return (
        row.referee == REFEREE_VERSION
        and row.ending is Ending.COMPLETED  # a time-out depends on the machine
        and all(
            entrant.kind is Kind.PROGRAM
            or (
                entrant.kind is Kind.HOUSE
                and entrant.sha256 == house_digest(by_name(job.game), entrant.name)
            )
            for entrant in job.entrants
        )
    )


def _check_moves(match_id: int, document: Replay, worker: str) -> Audit:
    if document.referee != REFEREE_VERSION or isinstance(by_name(document.game), Simulation):
        return Audit(match_id, Finding.SKIPPED, worker=worker)
    try:
        for _ in frames(document):
            pass
        outcome = replayed_outcome(document)
    except LadderError as error:
        return Audit(match_id, Finding.DIFFERENT, str(error), worker)
    if document.verdict.ending is Ending.COMPLETED and outcome != document.verdict.scores:
        return Audit(match_id, Finding.DIFFERENT, "Its moves give another result.", worker)
    return Audit(match_id, Finding.CHECKED, worker=worker)


def _blame(db: Database, found: Audit) -> Audit:
    if not found.worker:
        return found
    with db.write() as c:
        fresh = faults.insert_quarantine(c, found.worker, now(), found.match_id, found.detail)
        if fresh:
            detail = f"{found.worker}: match {found.match_id}: {found.detail}"
            actions.insert_action(c, now(), "audit", "quarantine", "worker", 0, detail)
    return Audit(found.match_id, found.finding, found.detail, found.worker, quarantined=True)
