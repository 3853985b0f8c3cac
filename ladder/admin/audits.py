"""Plays finished matches again, to check the workers that played them.

House bots and programs play the same match in the same way every time, so a worker whose result
differs from ours twice is quarantined. Other bots may not be deterministic: their recorded moves or
answers are checked against the rules, and the result against the moves. Where the code of a game
has changed since, a difference is reported without quarantine.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from engines.competition import Competition
from engines.games import UnknownGame, find_game
from engines.puzzle import Puzzle
from engines.simulation import Simulation
from ladder.boards.ladders import missing_note
from ladder.errors import DamagedReplay, LadderError, NotFound
from ladder.matches import leasing, listing
from ladder.matches.replays import ReplayStore
from ladder.matches.results import interest_of
from ladder.runner import play_job
from ladder.runner.fingerprint import rules_fingerprint
from ladder.runner.puzzles import check_record
from ladder.runner.replay import (
    REFEREE_VERSION,
    BadReplay,
    Replay,
    decode,
    moves_digest,
    replayed_outcome,
    verify,
)
from ladder.runner.selftest import choose_tier
from ladder.store import Database, actions, faults, replay_packs
from ladder.store import matches as stored
from ladder.store.database import Row, now
from ladder.uploads.submissions import house_digest
from ladder.values import Ending, Kind, Limits, MatchJob, MatchReport

_IDS = 10_000

Player = Callable[[MatchJob], MatchReport]


class Finding(StrEnum):
    REPEATED = "repeated"
    """Played again, it gave the same moves."""
    CHECKED = "checked"
    """Its moves or answers are right and give its result."""
    SKIPPED = "skipped"
    """It cannot be repeated: another referee, an unknown game, a simulation of uploaded bots."""
    OTHER_RULES = "made under other rules"
    """It differs, but the code of its game has changed since."""
    REMADE = "made again"
    """Its replay was missing or damaged; played again, the match ended in the same way."""
    LOST = "lost"
    """Its replay is missing or damaged, and cannot be made again."""
    DIFFERENT = "different"
    """It differs from its record."""
    UNSTABLE = "unstable"
    """It differs every time: bots that should be deterministic are not."""


@dataclass(frozen=True, slots=True)
class Audit:
    match_id: int
    finding: Finding
    detail: str = ""
    worker: str = ""
    """The worker that played it."""
    quarantined: bool = False
    """Whether that worker is quarantined because of it."""


def sample(
    db: Database, share: float, rng: random.Random, game: str | None = None
) -> Iterator[int]:
    """About this share of all finished matches, oldest first."""
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
    play: Player,
) -> Audit:
    """Check one finished match: restore a lost replay, and quarantine the worker if it cannot be
    trusted.
    """
    with db.read() as c:
        row = stored.match(c, match_id)
        if row is None:
            raise NotFound(f"there is no match {match_id}")
        scores = [seat.score for seat in stored.seats_of(c, [match_id])[match_id]]
    worker = worker_name(row.worker or "")
    try:
        game = find_game(row.game)
    except UnknownGame:
        return Audit(match_id, Finding.SKIPPED, missing_note(row.game), worker)
    job = leasing.job_again(db, match_id, limits)
    try:
        _, document = listing.checked_replay(db, replays, match_id)
    except (NotFound, DamagedReplay) as error:
        return _make_again(db, replays, row, Played(job, scores, play), str(error))
    if list(document.verdict.scores) != scores:
        detail = "The replay and the recorded result differ."
        return _blame(db, Audit(match_id, Finding.DIFFERENT, detail, worker))
    again = _repeats(row, job)
    try:
        finding, detail = _play_again(document, job, play) if again else _check(document, game)
    except LadderError as error:
        if row.rules == rules_fingerprint(game):
            raise
        finding, detail = Finding.DIFFERENT, str(error)
    if finding in (Finding.DIFFERENT, Finding.UNSTABLE) and row.rules != rules_fingerprint(game):
        finding = Finding.OTHER_RULES
    found = Audit(match_id, finding, detail, worker)
    # Only a match that we have played again can prove the worker wrong.
    return _blame(db, found) if again and finding is Finding.DIFFERENT else found


def _play_again(document: Replay, job: MatchJob, play: Player) -> tuple[Finding, str]:
    difference = verify(document, again := play(job))
    if difference is None:
        return Finding.REPEATED, ""
    if moves_digest(decode(again.replay)) != moves_digest(decode(play(job).replay)):
        return Finding.UNSTABLE, difference
    return Finding.DIFFERENT, difference


def player(scratch: Path, sandbox: str) -> Player:
    """Plays jobs here; the tier of the sandbox is chosen when the first uploaded bot needs it."""
    tier: list[str] = []

    def play(job: MatchJob) -> MatchReport:
        if not any(entrant.kind.sandboxed for entrant in job.entrants):
            return play_job(job, scratch, None)
        if not tier:
            tier.append(choose_tier(scratch, None if sandbox == "auto" else sandbox))
        return play_job(job, scratch, tier[0])

    return play


def find_damaged(db: Database, replays: ReplayStore, game: str | None = None) -> Iterator[int]:
    """All finished matches whose replay is missing, unreadable, or of another match."""
    for match_id in sample(db, 1.0, random.Random(0), game):
        try:
            listing.checked_replay(db, replays, match_id)
        except (NotFound, DamagedReplay):
            yield match_id


@dataclass(frozen=True, slots=True)
class Played:
    """A match that is played again."""

    job: MatchJob
    scores: list[float]
    """As recorded."""
    play: Player


def _make_again(db: Database, replays: ReplayStore, row: Row, played: Played, why: str) -> Audit:
    """Play a match again for its replay, which is kept only if it ends as recorded."""
    job = played.job
    match_id, worker = job.match_id, worker_name(row.worker or "")
    if row.rules != rules_fingerprint(find_game(job.game)) or row.referee != REFEREE_VERSION:
        return Audit(match_id, Finding.LOST, f"{why}; it was made under other rules", worker)
    try:
        report = played.play(job)
    except LadderError as error:
        return Audit(match_id, Finding.LOST, f"{why}; it cannot be played here: {error}", worker)
    verdict = report.verdict
    if (list(verdict.scores), verdict.ending) != (played.scores, row.ending):
        aside = replays.put_aside(match_id)
        kept = f"; the damaged file is kept as {aside.name}" if aside else ""
        detail = f"{why}; played again, it ended differently ({verdict.ending}){kept}"
        return Audit(match_id, Finding.LOST, detail, worker)
    interest = interest_of(row, (entrant.kind for entrant in job.entrants))
    with db.write() as c:
        appended = replays.append({match_id: (interest, report.replay)})
        replay_packs.set_place(c, match_id, appended.places[match_id])
        replay_packs.note(c, appended.packs, now())
    replays.remove(match_id)
    return Audit(match_id, Finding.REMADE, why, worker)


def worker_name(owner: str) -> str:
    """The worker of a lease: its processes own leases."""
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
                and entrant.sha256 == house_digest(find_game(job.game), entrant.name)
            )
            for entrant in job.entrants
        )
    )


def _check(document: Replay, game: Competition) -> tuple[Finding, str]:
    """Check the record against the rules."""
    if document.referee != REFEREE_VERSION or isinstance(game, Simulation):
        return Finding.SKIPPED, ""
    try:
        if isinstance(game, Puzzle):
            check_record(document, game)
            return Finding.CHECKED, ""
        outcome = replayed_outcome(document)
    except BadReplay as error:
        return Finding.DIFFERENT, str(error)
    if document.verdict.ending is Ending.COMPLETED and outcome != document.verdict.scores:
        return Finding.DIFFERENT, "Its moves give another result."
    return Finding.CHECKED, ""


def _blame(db: Database, found: Audit) -> Audit:
    if not found.worker:
        return found
    with db.write() as c:
        fresh = faults.insert_quarantine(c, found.worker, now(), found.match_id, found.detail)
        if fresh:
            detail = f"{found.worker}: match {found.match_id}: {found.detail}"
            actions.insert_action(c, "audit", "quarantine", "worker", 0, detail)
    return Audit(found.match_id, found.finding, found.detail, found.worker, quarantined=True)
