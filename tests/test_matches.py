from __future__ import annotations

import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa
from ladder_steps import BOT, OWNER, accept, account, finish, lease, report, upload

from engines.games import GAMES, find_game
from ladder.boards import ladders
from ladder.contests import tournaments
from ladder.contests.tournaments import Selection
from ladder.errors import Forbidden, NotFound, Refusal
from ladder.matches import leasing, listing, pairing, results
from ladder.matches.replays import ReplayStore
from ladder.matches.results import Finished
from ladder.models import Match, Rating, RatingChange, Result, Seat
from ladder.scoring.skill import SIGMA
from ladder.store import Database
from ladder.store.database import now
from ladder.uploads import submissions
from ladder.values import Fault, Kind, MatchJob, MatchStatus, Purpose, Role, VersionStatus

GAME = find_game("reversi")


def _pair(db: Database, seed: int = 0) -> None:
    assert pairing.pair(db, GAME, random.Random(seed)) is not None


def _ratings(db: Database) -> list[tuple[object, ...]]:
    with db.read() as c:
        rows = c.execute(sa.select(Rating).order_by(Rating.version_id, Rating.division)).all()
        return [tuple(row) for row in rows]


def _changes(db: Database) -> list[tuple[object, ...]]:
    with db.read() as c:
        rows = c.execute(sa.select(RatingChange).order_by(RatingChange.number, RatingChange.bot_id))
        return [tuple(row) for row in rows]


def test_a_pairing_is_played_from_both_sides(db: Database) -> None:
    _pair(db)
    one, two = lease(db, 10)
    assert one.seed == two.seed
    assert [e.name for e in one.entrants] == [e.name for e in two.entrants][::-1]
    assert one.entrants[0].name != one.entrants[1].name


def test_the_queue_goes_by_purpose_then_age(db: Database, replays: ReplayStore) -> None:
    _pair(db)
    upload(db, account(db))
    first, second, third = lease(db, 10)
    assert listing.get(db, first.match_id).purpose is Purpose.VALIDATION
    assert second.match_id < third.match_id


def test_code_comes_with_the_job(db: Database) -> None:
    upload(db, account(db))
    (job,) = lease(db)
    assert job.entrants[0].code == BOT
    assert job.entrants[1].kind is Kind.HOUSE
    assert job.entrants[1].code is None


def test_without_a_sandbox_only_house_bots_play(db: Database) -> None:
    upload(db, account(db))
    _pair(db)
    jobs = leasing.lease(db, OWNER, 60, 10, leasing.Playable((Kind.HOUSE,)))
    assert len(jobs) == 2
    assert all(e.kind is Kind.HOUSE for job in jobs for e in job.entrants)


def test_a_match_is_finished_once(db: Database, replays: ReplayStore) -> None:
    _pair(db)
    (job,) = lease(db)
    assert finish(db, replays, job, (1, 0))
    rated = _ratings(db)
    assert not finish(db, replays, job, (0, 1)), "a second report changes nothing"
    assert _ratings(db) == rated
    view = listing.get(db, job.match_id)
    assert view.status is MatchStatus.FINISHED
    assert [seat.rank for seat in view.seats] == [1, 2]
    winner, loser = view.seats
    assert winner.mu_after > winner.mu_before
    assert loser.mu_after < loser.mu_before
    assert listing.replay(db, replays, job.match_id) == b"replay"


def test_a_late_report_does_not_touch_the_replay(db: Database, replays: ReplayStore) -> None:
    _pair(db)
    (stale,) = lease(db)
    leasing.give_up(db, OWNER, stale, "lost")
    (job,) = lease(db)
    assert job.match_id == stale.match_id
    assert finish(db, replays, job, (1, 0))
    late = replace(report(stale, (0, 1)), replay=b"late")
    assert not results.finish(db, replays, OWNER, [Finished(late, stale.attempt)])
    assert listing.replay(db, replays, job.match_id) == b"replay"
    (pack,) = replays.sizes()
    assert replays.matches_in(replays.pack_path(pack)) == [job.match_id]


def test_a_silent_worker_loses_its_match(db: Database, replays: ReplayStore) -> None:
    _pair(db)
    (job,) = leasing.lease(db, "dead", -1, 1, leasing.Playable(tuple(Kind)))
    (alive,) = lease(db)
    assert leasing.expire(db) == [job.match_id]
    again, *_ = lease(db, 5)
    assert (again.match_id, again.attempt) == (job.match_id, 2)
    assert not results.finish(db, replays, "dead", [Finished(report(job, (1, 0)), job.attempt)])
    assert finish(db, replays, again, (1, 0))
    assert finish(db, replays, alive, (1, 0))


def test_a_heartbeat_keeps_the_lease(db: Database) -> None:
    _pair(db)
    (job,) = leasing.lease(db, OWNER, -1, 1, leasing.Playable(tuple(Kind)))
    leasing.renew(db, OWNER, [job.match_id], 60)
    leasing.renew(db, "somebody else", [job.match_id], -60)
    assert leasing.expire(db) == []


def _park(db: Database) -> None:
    """Let all queued matches fail until they are parked."""
    while jobs := lease(db, 100):
        for job in jobs:
            leasing.give_up(db, OWNER, job, "the rules are broken", Fault.REFEREE)


def test_a_game_that_only_fails_is_paired_now_and_then(
    db: Database, replays: ReplayStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    while listing.counts(db).get("parked", 0) < pairing.MOST_FAILURES:
        assert pairing.short_queues(db, [GAME], 4)
        _pair(db)
        _park(db)
    assert not pairing.short_queues(db, [GAME], 4)
    with monkeypatch.context() as later:
        later.setattr(pairing, "FAILURE_PAUSE", timedelta(0))
        assert pairing.short_queues(db, [GAME], 4)
        _pair(db)
    first, *others = lease(db, 100)
    assert finish(db, replays, first, (1, 0))
    for job in others:
        leasing.give_up(db, OWNER, job, "the rules are broken", Fault.REFEREE)
    assert pairing.short_queues(db, [GAME], 4), "the rules are repaired"


def test_our_faults_park_a_match_in_the_end_and_rate_nobody(db: Database) -> None:
    _pair(db)
    before = _ratings(db)
    for _ in range(leasing.MOST_FAILURES[Fault.WORKER]):
        (job,) = lease(db)
        leasing.give_up(db, OWNER, job, "the sandbox did not start")
    assert listing.get(db, job.match_id).status is MatchStatus.PARKED
    assert listing.counts(db)["parked"] == 1
    assert _ratings(db) == before


def test_a_handed_back_match_has_not_been_tried(db: Database) -> None:
    _pair(db)
    for _ in range(5):
        (job,) = lease(db)
        assert job.attempt == 1
        assert leasing.hand_back(db, OWNER) == 1


def test_three_faults_in_a_row_suspend_a_version(db: Database, replays: ReplayStore) -> None:
    ada = account(db)
    sent = upload(db, ada)
    accept(db, replays, sent)
    for fault in (True, True, False, True, True, True):
        job, seat = _next_match_of(db, replays, "mybot")
        at_fault = [seat] if fault else []
        finish(db, replays, job, [float(s != seat) for s in (0, 1)], at_fault, "It crashed.")
    version = submissions.bot(db, sent.id, ada).versions[0]
    assert version.status is VersionStatus.SUSPENDED
    assert version.reason is not None
    assert "3 faults in a row" in version.reason
    assert "It crashed." in version.reason
    assert "mybot" not in [row.bot for row in ladders.page(db, "reversi", "open", None, 100).rows]
    with db.read() as c:
        query = sa.select(Match.status, sa.func.count()).join(Seat).where(Seat.bot_id == sent.id)
        left = dict(c.execute(query.group_by(Match.status)).all())
    assert MatchStatus.QUEUED not in left


def _next_match_of(db: Database, replays: ReplayStore, name: str) -> tuple[MatchJob, int]:
    """Finish matches until one of `name` is next; returns that match and the seat."""
    for seed in range(1000):
        for job in lease(db, 1):
            names = [entrant.name for entrant in job.entrants]
            if name in names:
                return job, names.index(name)
            finish(db, replays, job, (1, 0))
        _pair(db, seed)
    raise AssertionError("it never played")


def _play_many(db: Database, replays: ReplayStore, pairings: int, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(pairings):
        pairing.pair(db, GAME, rng)
        for job in lease(db, 10):
            result = rng.choice([(1, 0), (0, 1), (0.5, 0.5)])
            finish(db, replays, job, result, [1] if rng.random() < 0.02 else [], "It crashed.")


def test_rerate_rebuilds_the_same_numbers(db: Database, replays: ReplayStore) -> None:
    ada = account(db)
    for round_number in range(3):
        upload(db, ada, "mybot", BOT + b"#%d\n" % round_number)
        leftover = lease(db, 1)  # the validation match, played below
        _play_many(db, replays, 4, round_number)
        finish(db, replays, leftover[0], (1, 0))
    _play_many(db, replays, 10, 9)
    upload(db, ada, "mybot", BOT + b"#unrated\n")
    (validation,) = lease(db, 1)
    finish(db, replays, validation, (1, 0))
    before, changes = _ratings(db), _changes(db)
    assert len(changes) > 40
    with db.write() as c:
        c.execute(sa.update(Rating).values(mu=1, sigma=1, score=1, matches=1, last_number=7))
        c.execute(sa.delete(RatingChange).where(RatingChange.number % 2 == 0))
    assert ladders.rerate(db, "reversi") == len(changes) // 2
    for game in GAMES:
        ladders.rerate(db, game.name)
    assert _ratings(db) == before
    assert _changes(db) == changes


def test_a_successor_keeps_mu_and_regains_sigma(db: Database, replays: ReplayStore) -> None:
    ada = account(db)
    sent = upload(db, ada)
    accept(db, replays, sent)
    for _ in range(4):
        job, seat = _next_match_of(db, replays, "mybot")
        finish(db, replays, job, [float(s == seat) for s in (0, 1)])
    late_job, late_seat = _next_match_of(db, replays, "mybot")
    upload(db, ada, code=BOT + b"#2\n")
    (validation,) = lease(db, 1)
    finish(db, replays, validation, (1, 0))
    finish(db, replays, late_job, [float(s == late_seat) for s in (0, 1)])
    new, old = (v.rating for v in submissions.bot(db, sent.id, None).versions)
    assert new is not None
    assert old is not None
    assert (new.mu, new.sigma, new.matches) == (old.mu, SIGMA, 0)
    job, seat = _next_match_of(db, replays, "mybot")
    finish(db, replays, job, [float(s == seat) for s in (0, 1)])
    prior = listing.get(db, job.match_id).seats[seat]
    assert (prior.mu_before, prior.sigma_before) == (old.mu, SIGMA)


def test_concurrent_workers_lose_no_update(db: Database, replays: ReplayStore) -> None:
    rng = random.Random(1)
    for _ in range(20):
        pairing.pair(db, GAME, rng)
    start = threading.Barrier(4)

    def work(number: int) -> int:
        owner, done, rng = f"worker-{number}", 0, random.Random(number)
        start.wait()
        while jobs := leasing.lease(db, owner, 60, 2, leasing.Playable(tuple(Kind))):
            ended = [
                Finished(report(job, rng.choice([(1, 0), (0, 1), (0.5, 0.5)])), job.attempt)
                for job in jobs
            ]
            done += len(results.finish(db, replays, owner, ended))
        return done

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(work, range(4))) == 40
    with db.read() as c:
        assert c.scalar(sa.select(sa.func.count()).select_from(Result)) == 40
        assert c.scalar(sa.select(sa.func.sum(Rating.matches))) == 80
    before = _ratings(db)
    ladders.rerate(db, "reversi")
    assert _ratings(db) == before


def test_pages_go_from_new_to_old(db: Database, replays: ReplayStore) -> None:
    _play_many(db, replays, 6, 0)
    seen, after = [], None
    while True:
        page = listing.page(db, game="reversi", bot_id=None, after=after, limit=5)
        seen += [match.id for match in page.rows]
        if (after := page.next) is None:
            break
    assert len(seen) == 12
    assert seen == sorted(seen, reverse=True)
    one = listing.get(db, seen[0]).seats[0].bot_id
    own = listing.page(db, game=None, bot_id=one, after=None, limit=50).rows
    assert own
    assert all(one in [seat.bot_id for seat in match.seats] for match in own)
    for cursor in ("x", "-1", "9" * 30, ""):
        with pytest.raises(Refusal):
            listing.page(db, game=None, bot_id=None, after=cursor, limit=5)


def test_logs_are_for_owners_and_admins(db: Database, replays: ReplayStore) -> None:
    ada, eve, root = account(db), account(db, "eve"), account(db, "root")
    upload(db, ada)
    (job,) = lease(db)
    finish(db, replays, job, (0, 1), [0], "Line 3 is wrong.")
    (own,) = listing.logs(db, job.match_id, ada).logs
    assert (own.bot, own.complaint) == ("mybot", "Line 3 is wrong.")
    with pytest.raises(Forbidden):
        listing.logs(db, job.match_id, eve)
    assert len(listing.logs(db, job.match_id, replace(root, role=Role.ADMIN)).logs) == 2
    with pytest.raises(NotFound):
        listing.logs(db, 999, ada)


def test_pairing_covers_everybody(db: Database, replays: ReplayStore) -> None:
    _play_many(db, replays, 60, 4)
    with db.read() as c:
        played = Counter(c.scalars(sa.select(Seat.bot_id)))
    assert len(played) == len(GAME.house_bots)
    assert max(played.values()) <= 2 * min(played.values())
    assert (
        now() - timedelta(minutes=5)
        < listing.page(db, game=None, bot_id=None, after=None, limit=1).rows[0].created_at
    )


def test_newcomers_do_not_wait_for_a_large_tournament(db: Database, replays: ReplayStore) -> None:
    slots = 4
    with db.write() as c:  # all house bots have played enough
        c.execute(sa.update(Rating).values(matches=50))
    while pairing.short_queues(db, [GAME], slots):
        _pair(db)
    tournaments.create(
        db, tournaments.NewTournament("reversi", "round-robin", Selection(top=10)), actor="root"
    )
    assert not pairing.short_queues(db, [GAME], slots), "the queue of the ladder is full"
    accept(db, replays, upload(db, account(db), "newcomer"))
    assert pairing.short_queues(db, [GAME], slots)
    for seed in range(100):
        if not pairing.short_queues(db, [GAME], slots):
            break
        _pair(db, seed)
    jobs = lease(db, 1000)
    purposes = [job.purpose for job in jobs]
    placements = purposes.count(Purpose.PLACEMENT)
    assert slots <= placements < 10
    assert set(purposes[:placements]) == {Purpose.PLACEMENT}
    assert purposes[placements] is Purpose.TOURNAMENT
    assert all("newcomer" in [e.name for e in job.entrants] for job in jobs[:placements])
    assert all(job.waited_s > 0 for job in jobs)
