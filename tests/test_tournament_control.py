"""Tournaments on real databases: stopped and played again by hand, and cut off in the middle."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from ladder_steps import OWNER, finish, lease, report
from tournament_steps import (
    ADMIN,
    by_chance,
    check_records,
    create,
    play_out,
)

from ladder.contests import tournaments
from ladder.errors import Conflict, NotFound
from ladder.matches import leasing, listing, results
from ladder.matches.replays import ReplayStore
from ladder.models import Match
from ladder.store import Database
from ladder.store import matches as stored_matches
from ladder.values import LogQuota, MatchJob, MatchStatus, TournamentStatus


def test_pause_resume_and_cancel_are_recorded(db: Database, replays: ReplayStore) -> None:
    run = create(db, "swiss", top=4)
    (job, *_) = lease(db, 1)
    assert tournaments.pause(db, run.id, ADMIN).status is TournamentStatus.PAUSED
    assert lease(db, 50) == [], "no match of it begins"
    assert finish(db, replays, job, (1, 0)), "the running match is recorded"
    with pytest.raises(Conflict):
        tournaments.pause(db, run.id, ADMIN)
    assert tournaments.resume(db, run.id, ADMIN).status is TournamentStatus.RUNNING
    assert lease(db, 1)
    assert tournaments.cancel(db, run.id, "other").status is TournamentStatus.CANCELLED
    for forbidden in (tournaments.pause, tournaments.resume, tournaments.cancel):
        with pytest.raises(Conflict):
            forbidden(db, run.id, ADMIN)
    with db.read() as c:
        waiting = sa.select(sa.func.count()).where(Match.status == MatchStatus.QUEUED)
        assert c.scalar(waiting) == 0
    log = tournaments.audit_log(db, run.id).actions
    assert [(one.actor, one.action) for one in log] == [
        ("other", "cancel"),
        *((ADMIN, action) for action in ("resume", "pause", "create")),
    ]


def test_matches_handed_back_after_the_end_are_not_played(db: Database) -> None:
    run = create(db, "round-robin", top=2)
    (job, *_) = lease(db, 1)
    tournaments.cancel(db, run.id, ADMIN)
    leasing.hand_back(db, OWNER)
    assert lease(db, 9) == []
    tournaments.carry_on(db)
    assert listing.get(db, job.match_id).status is MatchStatus.CANCELLED


def test_a_paused_round_ends_and_the_next_waits(db: Database, replays: ReplayStore) -> None:
    run = create(db, "single-elimination", top=2, best_of=1)
    (job,) = lease(db, 5)
    tournaments.pause(db, run.id, ADMIN)
    finish(db, replays, job, (1, 0))
    assert tournaments.tournament(db, run.id).status is TournamentStatus.PAUSED
    tournaments.resume(db, run.id, ADMIN)
    assert tournaments.tournament(db, run.id).status is TournamentStatus.FINISHED


def test_requeueing_a_round_undoes_the_later_rounds(db: Database, replays: ReplayStore) -> None:
    run = create(db, "swiss", top=6, rounds=3)
    play_out(db, replays, by_chance)
    before = tournaments.tournament(db, run.id)
    assert before.status is TournamentStatus.FINISHED
    tournaments.requeue_round(db, run.id, 2, ADMIN)
    view = tournaments.tournament(db, run.id)
    assert (view.status, view.rounds_made, view.winner) == (TournamentStatus.RUNNING, 2, None)
    check_records(db, run.id)
    play_out(db, replays, by_chance)
    after = tournaments.tournament(db, run.id)
    assert after.standings == before.standings, "the same games end in the same way"
    assert [p.entrants for r in after.rounds for p in r.pairings] == [
        p.entrants for r in before.rounds for p in r.pairings
    ]
    assert not {m for r in after.rounds[1:] for p in r.pairings for m in p.matches} & {
        m for r in before.rounds[1:] for p in r.pairings for m in p.matches
    }
    check_records(db, run.id)
    with pytest.raises(NotFound):
        tournaments.requeue_round(db, run.id, 9, ADMIN)


def test_a_requeued_round_of_a_round_robin_is_independent(
    db: Database, replays: ReplayStore
) -> None:
    run = create(db, "round-robin", top=4)
    play_out(db, replays, by_chance)
    tournaments.requeue_round(db, run.id, 2, ADMIN)
    assert tournaments.tournament(db, run.id).rounds_made == 3
    assert play_out(db, replays, by_chance) == 4
    assert tournaments.tournament(db, run.id).status is TournamentStatus.FINISHED
    check_records(db, run.id)


# Failures


@pytest.mark.parametrize("form", ["single-elimination", "swiss"])
def test_failures_do_not_change_the_result_of_a_tournament(
    db: Database, replays: ReplayStore, form: str
) -> None:
    """Results come in random order, and workers and servers fail between them."""
    undisturbed = create(db, form, top=6, rated=False)
    play_out(db, replays, by_chance)
    expected = tournaments.tournament(db, undisturbed.id)
    run = create(db, form, top=6, rated=False)
    rng = random.Random(3)
    while jobs := lease(db, rng.randint(1, 4)):
        rng.shuffle(jobs)
        for job in jobs:
            tournaments.carry_on(db)  # another server looks after it
            if rng.random() < 0.2:
                with db.write() as c:  # the worker dies, and its lease runs out
                    c.execute(
                        sa.update(Match)
                        .where(Match.id == job.match_id)
                        .values(status=MatchStatus.QUEUED, lease_owner=None)
                    )
            elif rng.random() < 0.2:
                with pytest.raises(ZeroDivisionError):
                    _fail_while_recording(db, job)
                assert finish(db, replays, job, by_chance(job))
            else:
                assert finish(db, replays, job, by_chance(job))
                assert not finish(db, replays, job, (1, 0)), "a second report changes nothing"
    view = tournaments.tournament(db, run.id)
    assert view.status is TournamentStatus.FINISHED
    assert view.standings == expected.standings
    assert view.winner == expected.winner
    assert [(p.entrants, p.points, p.note) for r in view.rounds for p in r.pairings] == [
        (p.entrants, p.points, p.note) for r in expected.rounds for p in r.pairings
    ]
    check_records(db, run.id)


def _fail_while_recording(db: Database, job: MatchJob) -> None:
    """The server fails at the end of the transaction that records a result."""
    with db.write() as c:
        held = stored_matches.held(c, OWNER, [job.match_id])
        seated = stored_matches.seated(c, [job.match_id])
        results._record(c, [report(job, by_chance(job))], held, seated, LogQuota())
        raise ZeroDivisionError


def test_simultaneous_results_are_all_counted(db: Database, replays: ReplayStore) -> None:
    """On PostgreSQL two servers record results of one tournament at the same time."""
    run = create(db, "round-robin", top=6)
    jobs = lease(db, 100)

    def record(job: MatchJob) -> bool:
        return finish(db, replays, job, by_chance(job))

    with ThreadPoolExecutor(6) as servers:
        assert all(servers.map(record, jobs))
    assert tournaments.tournament(db, run.id).status is TournamentStatus.FINISHED
    check_records(db, run.id)
