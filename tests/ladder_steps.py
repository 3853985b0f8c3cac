"""Steps that tests of the ladder take: entering bots and finishing matches with known verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from ladder.matches import leasing, results
from ladder.matches.replays import ReplayStore
from ladder.matches.results import Finished
from ladder.people import accounts
from ladder.store import Database
from ladder.uploads import submissions
from ladder.uploads.submissions import Upload
from ladder.values import (
    Allowance,
    Ending,
    Kind,
    MatchJob,
    MatchReport,
    SeatReport,
    TokenUse,
    Verdict,
)
from ladder.views import AccountView, Submission

BOT = b"def agent(observation, configuration):\n    return observation['legal'][0]\n"
OWNER = "test-worker"
PLENTY = Allowance(*[10**6] * len(fields(Allowance)))


def account(db: Database, name: str = "ada") -> AccountView:
    made = accounts.create(db, name)
    found = accounts.authenticate(db, made.token, TokenUse.API)
    assert found is not None
    return found


def upload(
    db: Database,
    owner: AccountView,
    name: str = "mybot",
    code: bytes = BOT,
    game: str = "reversi",
) -> Submission:
    return submissions.submit(db, owner, Upload(game, name, code), PLENTY)


def lease(db: Database, limit: int = 1, owner: str = OWNER) -> list[MatchJob]:
    return leasing.lease(db, owner, 60, limit, leasing.Playable(tuple(Kind)))


def report(
    job: MatchJob, scores: Sequence[float], at_fault: Sequence[int] = (), complaint: str = ""
) -> MatchReport:
    ending = Ending.CRASHED if at_fault else Ending.COMPLETED
    return MatchReport(
        match_id=job.match_id,
        verdict=Verdict(tuple(scores), ending, tuple(at_fault)),
        explanation="as the test says",
        seats=tuple(
            SeatReport(1.0, 0.5, 30, complaint if seat in at_fault else "")
            for seat in range(len(scores))
        ),
        plies=60,
        replay=b"replay",
    )


def finish(
    db: Database,
    replays: ReplayStore,
    job: MatchJob,
    scores: Sequence[float],
    at_fault: Sequence[int] = (),
    complaint: str = "",
) -> bool:
    told = report(job, scores, at_fault, complaint)
    return bool(results.finish(db, replays, OWNER, [Finished(told, job.attempt)]))


def accept(db: Database, replays: ReplayStore, submission: Submission) -> None:
    """Finish the validation match of the newest upload without a fault."""
    (job,) = lease(db)
    assert job.entrants[0].sha256 == submission.version.sha256
    assert finish(db, replays, job, (0, 1))
