"""Failures of the server and its workers: repeated, parked, repaired, and found by audits."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from damages import DAMAGES, damage
from ladder_steps import OWNER, finish, lease
from replay_files import own_file

from engines.games import find_game
from ladder.admin import audits, repairs
from ladder.admin.audits import Audit, Finding
from ladder.contests import tournaments
from ladder.contests.formats import FormatOptions
from ladder.contests.tournaments import Selection
from ladder.errors import Conflict, NotFound, RefereeFailure, RunnerFailure
from ladder.matches import leasing, listing, results
from ladder.matches.replays import ReplayStore
from ladder.matches.results import Finished
from ladder.runner import play_job
from ladder.runner.fingerprint import rules_fingerprint
from ladder.runner.replay import decode, encode, moves_digest
from ladder.server.dispatcher import Dispatcher
from ladder.settings import Settings
from ladder.store import Database, faults, queue
from ladder.store.database import now
from ladder.values import (
    Fault,
    Kind,
    Limits,
    MatchJob,
    MatchReport,
    MatchStatus,
    Purpose,
    TournamentStatus,
)
from ladder.workers.arena import LocalArena
from ladder.workers.pool import WorkerPool

ADMIN = "root"


def tournament(db: Database, form: str = "round-robin", top: int = 2, **options: object) -> int:
    return tournaments.create(
        db,
        tournaments.NewTournament("reversi", form, Selection(top=top), FormatOptions(**options)),
        actor=ADMIN,
    ).id


def fail(db: Database, times: int, fault: Fault = Fault.WORKER) -> int:
    """Fail the first match of the queue this often; returns its id."""
    for attempt in range(1, times + 1):
        (job,) = lease(db, 1)
        leasing.give_up(db, OWNER, job, f"trouble {attempt}", fault)
    return job.match_id


def test_a_match_that_keeps_failing_is_parked_with_all_its_failures(db: Database) -> None:
    tournament_id = tournament(db)
    match_id = fail(db, leasing.MOST_FAILURES[Fault.REFEREE], Fault.REFEREE)
    (parked,) = repairs.troubles(db).parked
    assert (parked.id, parked.tournament_id, len(parked.bots)) == (match_id, tournament_id, 2)
    assert [(one.attempt, one.fault, one.worker, one.trouble) for one in parked.failures] == [
        (n, Fault.REFEREE, OWNER, f"trouble {n}") for n in (1, 2, 3)
    ]


def test_a_requeued_match_has_all_its_attempts_again(db: Database) -> None:
    tournament(db)
    most = leasing.MOST_FAILURES[Fault.REFEREE]
    match_id = fail(db, most, Fault.REFEREE)
    repairs.requeue(db, match_id, ADMIN)
    assert fail(db, most - 1, Fault.REFEREE) == match_id
    assert listing.get(db, match_id).status is MatchStatus.QUEUED
    assert fail(db, 1, Fault.REFEREE) == match_id
    (parked,) = repairs.troubles(db).parked
    assert len(parked.failures) == 2 * most


def test_dying_workers_are_forgiven_more_often(db: Database) -> None:
    tournament(db)
    match_id = fail(db, leasing.MOST_FAILURES[Fault.REFEREE], Fault.WORKER)
    assert listing.get(db, match_id).status is MatchStatus.QUEUED


def test_a_silent_worker_is_blamed(db: Database) -> None:
    tournament(db)
    leasing.lease(db, "far:1:x", -1, 1, leasing.Playable(tuple(Kind)))
    (match_id,) = leasing.expire(db)
    with db.read() as c:
        (failure,) = faults.failures(c, [match_id])[match_id]
    assert (failure.fault, failure.worker) == (Fault.WORKER, "far:1:x")


def test_a_tournament_waits_for_a_parked_match(db: Database, replays: ReplayStore) -> None:
    tournament_id = tournament(db)
    match_id = fail(db, leasing.MOST_FAILURES[Fault.WORKER])
    for job in lease(db, 9):
        finish(db, replays, job, (1, 0))
    view = tournaments.tournament(db, tournament_id)
    assert (view.status, view.parked) == (TournamentStatus.RUNNING, [match_id])
    assert tournaments.is_stuck(db, tournament_id)
    repairs.requeue(db, match_id, ADMIN)
    assert not tournaments.is_stuck(db, tournament_id)
    (job,) = lease(db, 9)
    assert (job.match_id, job.attempt) == (match_id, 1)
    finish(db, replays, job, (1, 0))
    assert tournaments.tournament(db, tournament_id).status is TournamentStatus.FINISHED
    log = tournaments.audit_log(db, tournament_id).actions
    assert (log[0].actor, log[0].action, log[0].detail) == (ADMIN, "requeue", f"match {match_id}")


@pytest.mark.parametrize("form", ["round-robin", "single-elimination"])
def test_a_parked_match_can_be_given_up(db: Database, replays: ReplayStore, form: str) -> None:
    tournament_id = tournament(db, form)
    match_id = fail(db, leasing.MOST_FAILURES[Fault.WORKER])
    repairs.drop(db, match_id, ADMIN)
    with pytest.raises(Conflict):
        repairs.drop(db, match_id, ADMIN)
    while jobs := lease(db, 1):
        finish(db, replays, jobs[0], (0.5, 0.5))
    view = tournaments.tournament(db, tournament_id)
    assert view.status is TournamentStatus.FINISHED
    assert (view.winner is None) == (form == "round-robin")
    assert listing.get(db, match_id).status is MatchStatus.CANCELLED


def test_a_finished_match_of_a_tournament_is_played_again(
    db: Database, replays: ReplayStore
) -> None:
    tournament_id = tournament(db)
    for job in lease(db, 9):
        finish(db, replays, job, (1, 0))
    before = tournaments.tournament(db, tournament_id)
    old, kept = before.rounds[0].pairings[0].matches
    repairs.requeue(db, old, ADMIN)
    view = tournaments.tournament(db, tournament_id)
    assert view.status is TournamentStatus.RUNNING
    assert view.rounds[0].pairings[0].points == [0.0, 1.0]
    (job,) = lease(db, 9)
    finish(db, replays, job, (0, 1))
    view = tournaments.tournament(db, tournament_id)
    assert view.status is TournamentStatus.FINISHED
    assert view.rounds[0].pairings[0].matches == [job.match_id, kept]
    assert view.rounds[0].pairings[0].points == [0.0, 2.0]
    assert listing.get(db, old).status is MatchStatus.FINISHED, "the old match stays on record"
    with pytest.raises(Conflict):
        repairs.requeue(db, old, ADMIN)
    with pytest.raises(NotFound):
        repairs.requeue(db, 10**6, ADMIN)


def test_a_match_that_decided_later_rounds_cannot_be_requeued_alone(
    db: Database, replays: ReplayStore
) -> None:
    tournament_id = tournament(db, "single-elimination", 4, best_of=1)
    for job in lease(db, 2):
        finish(db, replays, job, (1, 0))
    view = tournaments.tournament(db, tournament_id)
    assert view.rounds_made == 2
    with pytest.raises(Conflict, match="requeue round 1"):
        repairs.requeue(db, view.rounds[0].pairings[0].matches[0], ADMIN)


def _raise(kind: str) -> None:
    raise {"worker": RunnerFailure, "referee": RefereeFailure, "bug": ValueError}[kind]("so")


@pytest.mark.parametrize(
    ("kind", "fault"),
    [("worker", Fault.WORKER), ("referee", Fault.REFEREE), ("bug", Fault.REFEREE)],
)
def test_the_pool_tells_faults_of_workers_and_referees_apart(kind: str, fault: Fault) -> None:
    pool = WorkerPool(1, 60)
    error = pool.submit(_raise, kind).exception()
    pool.shutdown()
    assert isinstance(error, RefereeFailure) == (fault is Fault.REFEREE)
    assert isinstance(error, RunnerFailure)


def test_a_dispatcher_parks_matches_that_its_referee_cannot_play(
    sqlite_db: Database, replays: ReplayStore, tmp_path: Path
) -> None:
    tournament(sqlite_db)
    with sqlite_db.write() as c:  # a house bot that no game has
        c.exec_driver_sql("UPDATE bots SET name = 'nobody' WHERE game = 'reversi'")
    settings = Settings(data=tmp_path, workers=1, worker_name="lab")

    async def play() -> None:
        arena = LocalArena(1, tmp_path, None)
        dispatcher = Dispatcher(sqlite_db, replays, arena, settings, pairing=False)
        work = asyncio.create_task(dispatcher.run())
        for _ in range(600):
            if len(repairs.troubles(sqlite_db).parked) == 2:
                break
            await asyncio.sleep(0.1)
        dispatcher.stop()
        await work
        await dispatcher.drain(1)
        arena.close()

    asyncio.run(play())
    parked = repairs.troubles(sqlite_db).parked
    assert len(parked) == 2
    failures = parked[0].failures
    assert len(failures) == leasing.MOST_FAILURES[failures[0].fault]
    assert all(one.worker.startswith("lab:") for one in failures)
    assert "no house bot nobody" in failures[0].trouble


# Audits


def played(db: Database, replays: ReplayStore, tmp_path: Path, owner: str = "lab:1:x") -> int:
    """Really play a match of house bots; returns its id."""
    with db.write() as c:
        match_id = queue.insert_match(c, queue.NewMatch("reversi", 5, Purpose.LADDER), now())
        found = c.exec_driver_sql(
            "SELECT v.id, b.id FROM versions v JOIN bots b ON b.id = v.bot_id "
            "WHERE b.game = 'reversi' AND b.name IN ('random', 'greedy') ORDER BY b.name"
        ).all()
        queue.insert_seats(c, match_id, [(row[0], row[1]) for row in found])
    (job,) = leasing.lease(db, owner, 60, 1, leasing.Playable(tuple(Kind)))
    report = play_job(job, tmp_path, None)
    assert results.finish(db, replays, owner, [Finished(report, job.attempt)])
    return match_id


def forge(db: Database, replays: ReplayStore, match_id: int) -> None:
    """Change the last move in the replay of a match."""
    path = own_file(db, replays, match_id)
    document = decode(path.read_bytes())
    moves = list(document.moves)
    moves[-1] = type(moves[-1])(moves[-1].seat, "a1" if moves[-1].move != "a1" else "h8")
    forged = type(document)(
        **{f: getattr(document, f) for f in document.__struct_fields__} | {"moves": tuple(moves)}
    )
    path.write_bytes(encode(forged))


def audited(db: Database, replays: ReplayStore, match_id: int, scratch: Path) -> Audit:
    return audits.audit(db, replays, match_id, Limits(), audits.player(scratch, "auto"))


def test_a_match_that_repeats_itself_passes_the_audit(
    sqlite_db: Database, replays: ReplayStore, tmp_path: Path
) -> None:
    match_id = played(sqlite_db, replays, tmp_path)
    found = audited(sqlite_db, replays, match_id, tmp_path)
    assert (found.finding, found.worker) == (Finding.REPEATED, "lab")
    assert repairs.troubles(sqlite_db).quarantines == []


def test_a_worker_whose_results_differ_gets_no_more_matches(
    sqlite_db: Database, replays: ReplayStore, tmp_path: Path
) -> None:
    match_id = played(sqlite_db, replays, tmp_path)
    forge(sqlite_db, replays, match_id)
    found = audited(sqlite_db, replays, match_id, tmp_path)
    assert (found.finding, found.quarantined) == (Finding.DIFFERENT, True)
    (shut_out,) = repairs.troubles(sqlite_db).quarantines
    assert (shut_out.worker, shut_out.match_id) == ("lab", match_id)
    tournament(sqlite_db)
    assert leasing.lease(sqlite_db, "lab:2:y", 60, 9, leasing.Playable(tuple(Kind))) == []
    assert leasing.lease(sqlite_db, "other:2:y", 60, 1, leasing.Playable(tuple(Kind)))
    repairs.lift(sqlite_db, "lab", ADMIN)
    assert leasing.lease(sqlite_db, "lab:2:y", 60, 1, leasing.Playable(tuple(Kind)))
    with pytest.raises(NotFound):
        repairs.lift(sqlite_db, "lab", ADMIN)
    assert [one.action for one in repairs.latest_actions(sqlite_db).actions] == [
        *("lift", "create", "quarantine")
    ]


def test_no_worker_is_blamed_for_unstable_bots(
    sqlite_db: Database, replays: ReplayStore, tmp_path: Path
) -> None:
    match_id = played(sqlite_db, replays, tmp_path)
    seeds = iter(range(100, 200))

    def play(job: MatchJob) -> MatchReport:
        return play_job(replace(job, seed=next(seeds)), tmp_path, None)

    found = audits.audit(sqlite_db, replays, match_id, Limits(), play)
    assert (found.finding, found.quarantined) == (Finding.UNSTABLE, False)


def test_moves_of_other_bots_are_checked_against_the_rules(
    sqlite_db: Database, replays: ReplayStore, tmp_path: Path
) -> None:
    match_id = played(sqlite_db, replays, tmp_path)
    with sqlite_db.write() as c:
        c.exec_driver_sql("UPDATE versions SET kind = 'python'")
    assert audited(sqlite_db, replays, match_id, tmp_path).finding is Finding.CHECKED
    forge(sqlite_db, replays, match_id)
    assert audited(sqlite_db, replays, match_id, tmp_path).finding is Finding.DIFFERENT


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_replay_is_found_and_made_again(
    sqlite_db: Database, replays: ReplayStore, tmp_path: Path, kind: str
) -> None:
    match_id = played(sqlite_db, replays, tmp_path)
    before = decode(listing.replay(sqlite_db, replays, match_id))
    assert list(audits.find_damaged(sqlite_db, replays)) == []
    damage(sqlite_db, replays, match_id, kind)
    assert list(audits.find_damaged(sqlite_db, replays)) == [match_id]
    found = audited(sqlite_db, replays, match_id, tmp_path)
    assert (found.finding, found.quarantined) == (Finding.REMADE, False)
    remade = decode(listing.replay(sqlite_db, replays, match_id))
    assert moves_digest(remade) == moves_digest(before)
    assert audited(sqlite_db, replays, match_id, tmp_path).finding is Finding.REPEATED


def test_a_replay_with_another_result_does_not_take_its_place(
    sqlite_db: Database, replays: ReplayStore, tmp_path: Path
) -> None:
    match_id = played(sqlite_db, replays, tmp_path)
    damage(sqlite_db, replays, match_id, "cut short")
    damaged = replays.path(match_id).read_bytes()
    with sqlite_db.write() as c:
        c.exec_driver_sql("UPDATE seats SET score = 1 - score")
    found = audited(sqlite_db, replays, match_id, tmp_path)
    assert found.finding is Finding.LOST
    assert "played again, it ended differently" in found.detail
    assert not replays.path(match_id).exists()
    (aside,) = replays.path(match_id).parent.glob("*.damaged")
    assert aside.name in found.detail
    assert aside.read_bytes() == damaged


def test_a_replay_made_under_other_rules_stays_lost(
    sqlite_db: Database, replays: ReplayStore, tmp_path: Path
) -> None:
    match_id = played(sqlite_db, replays, tmp_path)
    damage(sqlite_db, replays, match_id, "missing")
    with sqlite_db.write() as c:
        c.exec_driver_sql("UPDATE matches SET rules = 'other'")
    found = audited(sqlite_db, replays, match_id, tmp_path)
    assert found.finding is Finding.LOST
    assert "other rules" in found.detail


def test_no_worker_is_blamed_for_matches_under_other_rules(
    sqlite_db: Database, replays: ReplayStore, tmp_path: Path
) -> None:
    match_id = played(sqlite_db, replays, tmp_path)
    forge(sqlite_db, replays, match_id)
    for rules in (
        "'0123456789abcdef'",
        "NULL",
    ):  # other rules, and unknown rules
        with sqlite_db.write() as c:
            c.exec_driver_sql(f"UPDATE matches SET rules = {rules}")
        found = audited(sqlite_db, replays, match_id, tmp_path)
        assert (found.finding, found.quarantined) == (Finding.OTHER_RULES, False)
    assert rules_fingerprint(find_game("checkers")) == rules_fingerprint(find_game("lose-checkers"))
    assert rules_fingerprint(find_game("checkers")) != rules_fingerprint(find_game("reversi"))
