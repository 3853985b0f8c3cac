"""Tournaments on real databases: every format to its end, by hand, and cut off in the middle."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import combinations
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
import sqlalchemy as sa
from ladder_steps import OWNER, finish, lease, report

from engines.games import by_name
from ladder import matches, results, rounds, submissions, tournaments
from ladder.errors import Conflict, NotFound, Refusal
from ladder.formats import Options
from ladder.models import Entry, Match, Tournament
from ladder.replays import ReplayStore
from ladder.results import Finished
from ladder.store import Database, bots, ratings
from ladder.store import matches as stored_matches
from ladder.store import tournaments as stored
from ladder.store.database import now
from ladder.tallies import add_up, read_tally
from ladder.tournaments import Wanted
from ladder.values import Kind, MatchJob, MatchStatus, TournamentStatus, VersionStatus
from ladder.views import TournamentRef, TournamentView

HOUSE = len(by_name("reversi").house_bots)
ADMIN = "root"

Referee = Callable[[MatchJob], Sequence[float]]


@pytest.fixture
def replays(tmp_path: Path) -> ReplayStore:
    return ReplayStore(tmp_path / "replays")


def add_bots(db: Database, count: int, game: str = "reversi") -> list[int]:
    """Bots that exist on the board only; nobody plays them for real."""
    made = []
    with db.write() as c:
        house = bots.bot_named(c, game, next(iter(by_name(game).house_bots)).lower())
        assert house is not None
        for number in range(count):
            name = f"extra{number:04d}"
            bot_id = bots.insert_bot(c, game, name, name, house.owner_id, now())
            assert bot_id is not None
            version, _ = bots.insert_version(
                c, bot_id, f"{number:064x}", Kind.HOUSE, 0, VersionStatus.VALIDATING, now()
            )
            submissions.accept(c, bots.version(c, version))
            made.append(bot_id)
    return made


def create(db: Database, form: str, game: str = "reversi", **options: object) -> TournamentRef:
    wanted = Wanted(top=options.pop("top", None), bots=options.pop("bots", None))  # type: ignore[arg-type]
    rated = bool(options.pop("rated", True))
    return tournaments.create(
        db,
        game,
        form,
        wanted,
        Options(seed=7, **options),
        rated=rated,
        actor=ADMIN,  # type: ignore[arg-type]
    )


def by_strength(view: TournamentView) -> Referee:
    """The better seed wins every game."""
    seeding = {entry.bot: entry.seeding for entry in view.entries}
    return lambda job: [-float(seeding[e.name]) for e in job.entrants]


def by_chance(job: MatchJob) -> Sequence[float]:
    """The same game always ends in the same way."""
    names = ",".join(e.name for e in job.entrants)
    rng = random.Random(f"{job.seed} {names}")
    return [float(rng.randrange(3)) for _ in job.entrants]


def play_out(
    db: Database, replays: ReplayStore, referee: Referee, most: int = 10**6, batch: int = 20
) -> int:
    played = 0
    while played < most and (jobs := lease(db, min(batch, most - played))):
        done = [Finished(report(job, referee(job)), job.attempt) for job in jobs]
        assert len(results.finish(db, replays, OWNER, done)) == len(jobs)
        played += len(jobs)
    return played


def check_records(db: Database, tournament_id: int) -> None:
    """What the entries have added up is what their matches give, counted from the start."""
    with db.read() as c:
        count = stored.count_entries(c, tournament_id)
        kept = stored.records(c, tournament_id, count)
        halves = np.zeros((count, count), dtype=np.int64)
        points = np.zeros(count)
        gone = stored.gone(c, tournament_id)
        rows = stored.pairings(c, tournament_id)
        games = stored.games(c, tournament_id, [(row.round, row.board) for row in rows])
        for row in rows:
            tally = read_tally(row.tally, len(row.entrants))
            if games[row.round, row.board]:
                played = rounds._results(row.entrants, games[row.round, row.board], gone)
                assert tally == add_up(played, len(row.entrants))
            for place, entry in enumerate(row.entrants):
                points[entry - 1] += tally.points[place]
                for other, rival in enumerate(row.entrants):
                    halves[entry - 1, rival - 1] += tally.halves[place][other]
    for seeding, record in kept.items():
        assert record.points == pytest.approx(points[seeding - 1])
        assert record.halves.tolist() == halves[seeding - 1].tolist()


def test_a_round_robin_of_the_top(db: Database, replays: ReplayStore) -> None:
    run = create(db, "round-robin", top=5)
    assert run.status is TournamentStatus.RUNNING
    view = tournaments.tournament(db, run.id)
    assert (view.matches, view.matches_finished, len(view.entries)) == (20, 0, 5)
    assert play_out(db, replays, by_strength(view)) == 20
    view = tournaments.tournament(db, run.id)
    assert view.status is TournamentStatus.FINISHED
    assert view.winner == view.entries[0].bot == view.standings[0].bot
    assert [line.points for line in view.standings] == [8, 6, 4, 2, 0]
    assert view.grid == ["#++++", "-#+++", "--#++", "---#+", "----#"]
    met = {frozenset(p.entrants) for r in view.rounds for p in r.pairings}
    assert met == {frozenset(pair) for pair in combinations(range(1, 6), 2)}
    assert all(len(p.matches) == 2 for r in view.rounds for p in r.pairings)
    check_records(db, run.id)


def test_both_sides_of_a_meeting_have_the_same_seed(db: Database) -> None:
    create(db, "round-robin", top=3)
    jobs = lease(db, 6)
    assert len({job.seed for job in jobs}) == 3
    sides = {(job.seed, tuple(e.name for e in job.entrants)) for job in jobs}
    assert all((seed, names[::-1]) in sides for seed, names in sides)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 6])
@pytest.mark.parametrize("form", ["round-robin", "single-elimination", "swiss", "gauntlet"])
def test_every_format_ends(
    sqlite_db: Database, replays: ReplayStore, form: str, count: int
) -> None:
    run = create(sqlite_db, form, top=count)
    play_out(sqlite_db, replays, by_chance)
    view = tournaments.tournament(sqlite_db, run.id)
    assert view.status is TournamentStatus.FINISHED
    assert len(view.standings) == count
    assert view.rounds_made == view.rounds_planned
    if form == "single-elimination":
        assert view.winner is not None, "somebody always wins a knockout"
    check_records(sqlite_db, run.id)


def test_a_knockout(db: Database, replays: ReplayStore) -> None:
    run = create(db, "single-elimination", top=6, best_of=3, third_place=True)
    view = tournaments.tournament(db, run.id)
    first = view.rounds[0].pairings
    assert [p.entrants for p in first] == [[1], [4, 5], [2], [3, 6]]
    assert [p.note for p in first] == ["bye", "", "bye", ""]
    assert play_out(db, replays, by_strength(view)) == 2 * 6, "two games decide a best of three"
    view = tournaments.tournament(db, run.id)
    assert view.winner == view.entries[0].bot
    assert [p.entrants for p in view.rounds[-1].pairings] == [[1, 2], [4, 3]]
    assert [(s.seeding, s.place) for s in view.standings] == [
        *((1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 5))
    ]
    check_records(db, run.id)


def test_a_drawn_meeting_goes_on_until_the_seed_decides(db: Database, replays: ReplayStore) -> None:
    run = create(db, "single-elimination", top=2, best_of=1)
    assert play_out(db, replays, lambda job: (0.5, 0.5)) == 5
    view = tournaments.tournament(db, run.id)
    (final,) = view.rounds[0].pairings
    assert (final.winner, final.note, final.points) == (1, "better seed", [2.5, 2.5])
    assert view.winner == view.entries[0].bot


def test_the_third_game_is_played_only_if_needed(db: Database, replays: ReplayStore) -> None:
    run = create(db, "single-elimination", top=2)
    first_seat = iter([(1, 0), (1, 0), (0, 1)])
    assert play_out(db, replays, lambda job: next(first_seat), batch=1) == 3
    (final,) = tournaments.tournament(db, run.id).rounds[0].pairings
    assert (final.points, final.winner) == ([1.0, 2.0], 2)


def test_a_swiss_tournament(db: Database, replays: ReplayStore) -> None:
    add_bots(db, max(0, 9 - HOUSE))
    run = create(db, "swiss", top=9, rounds=4)
    play_out(db, replays, by_chance)
    view = tournaments.tournament(db, run.id)
    assert view.status is TournamentStatus.FINISHED
    byes = [p.entrants for r in view.rounds for p in r.pairings if len(p.entrants) == 1]
    assert len(byes) == 4
    assert len({tuple(b) for b in byes}) == 4
    met = [frozenset(p.entrants) for r in view.rounds for p in r.pairings if len(p.entrants) == 2]
    assert len(met) == len(set(met)) == 16
    best = view.standings[0]
    assert best.buchholz == pytest.approx(
        sum(
            other.points
            for other in view.standings
            if frozenset((best.seeding, other.seeding)) in met
        )
    )
    assert "Buchholz" in view.tie_breaks
    check_records(db, run.id)


def test_melee_rounds(db: Database, replays: ReplayStore) -> None:
    run = create(db, "melee", "tanks-melee", top=8, rounds=3, seats=4)
    view = tournaments.tournament(db, run.id)
    assert [len(p.entrants) for p in view.rounds[0].pairings] == [4, 4]
    play_out(db, replays, by_strength(view))
    view = tournaments.tournament(db, run.id)
    assert (view.status, len(view.rounds)) == (TournamentStatus.FINISHED, 3)
    assert view.winner == view.entries[0].bot
    assert view.standings[0].points == 3.0
    check_records(db, run.id)


def test_a_gauntlet_of_a_chosen_bot(db: Database, replays: ReplayStore) -> None:
    view = tournaments.tournament(db, create(db, "round-robin", top=4).id)
    tournaments.cancel(db, view.id, ADMIN)
    hero = view.entries[2]
    run = create(db, "gauntlet", top=4, champion=hero.bot_id)
    view = tournaments.tournament(db, run.id)
    assert all(hero.seeding in p.entrants for p in view.rounds[0].pairings)
    assert play_out(db, replays, by_strength(view)) == 6
    view = tournaments.tournament(db, run.id)
    points = {line.seeding: line.points for line in view.standings}
    assert points == {1: 2.0, 2: 2.0, 3: 2.0, 4: 0.0}


def test_unrated_matches_rate_nobody(db: Database, replays: ReplayStore) -> None:
    create(db, "round-robin", top=2, rated=False)
    assert play_out(db, replays, by_chance) == 2
    with db.read() as c:
        assert ratings.last_number(c) == 0


# Those who leave


@pytest.mark.parametrize("form", ["round-robin", "single-elimination", "swiss", "gauntlet"])
def test_a_bot_that_is_suspended_does_not_hold_anything_up(
    db: Database, replays: ReplayStore, form: str
) -> None:
    run = create(db, form, top=5)
    weak = tournaments.tournament(db, run.id).entries[-1].bot
    for _ in range(1_000):
        jobs = lease(db, 1)
        if not jobs:
            break
        names = [entrant.name for entrant in jobs[0].entrants]
        at_fault = [names.index(weak)] if weak in names else []
        scores = (0, 1) if at_fault == [0] else (1, 0)
        finish(db, replays, jobs[0], scores, at_fault, "It crashed.")
    view = tournaments.tournament(db, run.id)
    assert view.status is TournamentStatus.FINISHED
    left = next(line for line in view.standings if line.bot == weak)
    assert left.wins == 0
    if form in ("round-robin", "swiss"):
        assert left.withdrawn
        stayed = [line for line in view.standings if not line.withdrawn]
        assert len({line.played + 2 * line.byes for line in stayed}) == 1
    check_records(db, run.id)


def test_who_withdraws_is_beaten_by_walkover(db: Database, replays: ReplayStore) -> None:
    run = create(db, "single-elimination", top=4)
    view = tournaments.tournament(db, run.id)
    tournaments.withdraw(db, run.id, view.entries[0].bot_id, ADMIN)
    view = tournaments.tournament(db, run.id)
    top = view.rounds[0].pairings[0]
    assert (top.winner, top.note) == (4, "walkover")
    play_out(db, replays, by_strength(view))
    view = tournaments.tournament(db, run.id)
    assert view.winner == view.entries[1].bot
    with pytest.raises(NotFound):
        tournaments.withdraw(db, create(db, "swiss", top=2).id, 10**6, ADMIN)


def test_an_empty_half_of_a_bracket_is_passed_over(db: Database, replays: ReplayStore) -> None:
    run = create(db, "single-elimination", top=4)
    view = tournaments.tournament(db, run.id)
    for seeding in (1, 4):
        tournaments.withdraw(db, run.id, view.entries[seeding - 1].bot_id, ADMIN)
    play_out(db, replays, by_strength(view))
    view = tournaments.tournament(db, run.id)
    assert (view.status, view.winner) == (TournamentStatus.FINISHED, view.entries[1].bot)


# By hand


def test_pause_resume_and_cancel_are_recorded(db: Database, replays: ReplayStore) -> None:
    run = create(db, "swiss", top=4)
    (job, *_) = lease(db, 1)
    assert tournaments.pause(db, run.id, ADMIN).status is TournamentStatus.PAUSED
    assert lease(db, 50) == [], "nothing of it is started"
    assert finish(db, replays, job, (1, 0)), "what runs is recorded"
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


def test_what_comes_back_after_the_end_is_not_played(db: Database) -> None:
    run = create(db, "round-robin", top=2)
    (job, *_) = lease(db, 1)
    tournaments.cancel(db, run.id, ADMIN)
    matches.hand_back(db, OWNER)
    assert lease(db, 9) == []
    tournaments.carry_on(db)
    assert matches.get(db, job.match_id).status is MatchStatus.CANCELLED


def test_a_paused_round_ends_and_the_next_waits(db: Database, replays: ReplayStore) -> None:
    run = create(db, "single-elimination", top=2, best_of=1)
    (job,) = lease(db, 5)
    tournaments.pause(db, run.id, ADMIN)
    finish(db, replays, job, (1, 0))
    assert tournaments.tournament(db, run.id).status is TournamentStatus.PAUSED
    tournaments.resume(db, run.id, ADMIN)
    assert tournaments.tournament(db, run.id).status is TournamentStatus.FINISHED


def test_a_round_that_is_played_again_undoes_what_followed(
    db: Database, replays: ReplayStore
) -> None:
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


def test_a_round_of_a_round_robin_is_played_again_alone(db: Database, replays: ReplayStore) -> None:
    run = create(db, "round-robin", top=4)
    play_out(db, replays, by_chance)
    tournaments.requeue_round(db, run.id, 2, ADMIN)
    assert tournaments.tournament(db, run.id).rounds_made == 3
    assert play_out(db, replays, by_chance) == 4
    assert tournaments.tournament(db, run.id).status is TournamentStatus.FINISHED
    check_records(db, run.id)


# Choosing


def test_chosen_bots_are_seeded_by_rating(db: Database) -> None:
    everybody = tournaments.tournament(db, create(db, "round-robin").id).entries
    assert len(everybody) == HOUSE
    chosen = [everybody[3].bot_id, everybody[0].bot_id]
    view = tournaments.tournament(db, create(db, "swiss", bots=chosen).id)
    assert [entry.bot_id for entry in view.entries] == chosen[::-1]


@pytest.mark.parametrize(
    ("form", "game", "wanted", "options"),
    [
        ("tombola", "reversi", Wanted(), Options()),
        ("melee", "reversi", Wanted(), Options()),
        ("swiss", "reversi", Wanted(), Options(best_of=3)),
        ("swiss", "reversi", Wanted(bots=[1, 1]), Options()),
        ("swiss", "reversi", Wanted(bots=[10**6]), Options()),
        ("gauntlet", "reversi", Wanted(top=3), Options(champion=10**6)),
        ("melee", "tanks-melee", Wanted(), Options(seats=99)),
    ],
)
def test_what_makes_no_sense_is_refused(
    sqlite_db: Database, form: str, game: str, wanted: Wanted, options: Options
) -> None:
    with pytest.raises(Refusal):
        tournaments.create(sqlite_db, game, form, wanted, options, actor=ADMIN)
    assert tournaments.page(sqlite_db, None, None, 9).rows == []


def test_a_tournament_waits_for_its_time(db: Database, replays: ReplayStore) -> None:
    later = now() + timedelta(hours=1)
    run = tournaments.create(db, "reversi", "swiss", Wanted(top=4), starts_at=later, actor=ADMIN)
    assert run.status is TournamentStatus.PENDING
    assert tournaments.carry_on(db) == []
    assert lease(db, 1) == []
    with ThreadPoolExecutor(4) as servers:
        at = later + timedelta(seconds=1)
        list(servers.map(lambda _: tournaments.carry_on(db, at), range(4)))
    assert tournaments.tournament(db, run.id).rounds_made == 1
    assert len(lease(db, 50)) == 4


# Cut off


@pytest.mark.parametrize("form", ["single-elimination", "swiss"])
def test_a_tournament_goes_on_to_the_same_end(
    db: Database, replays: ReplayStore, form: str
) -> None:
    """Whatever order results come in, and however often workers and servers fail between them."""
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
    """The server fails in the transaction that records a result, when all is written."""
    with db.write() as c:
        held = stored_matches.held(c, OWNER, [job.match_id])
        results._record(c, OWNER, [report(job, by_chance(job))], held)
        raise ZeroDivisionError


def test_results_that_come_at_once_are_all_counted(db: Database, replays: ReplayStore) -> None:
    """On PostgreSQL two servers record results of one tournament at the same time."""
    run = create(db, "round-robin", top=6)
    jobs = lease(db, 100)

    def record(job: MatchJob) -> bool:
        return finish(db, replays, job, by_chance(job))

    with ThreadPoolExecutor(6) as servers:
        assert all(servers.map(record, jobs))
    assert tournaments.tournament(db, run.id).status is TournamentStatus.FINISHED
    check_records(db, run.id)


# Many


def test_a_thousand_bots_are_planned_and_shown_quickly(sqlite_db: Database) -> None:
    """The time is printed for who wants to see it; the proof asserts shape and laziness."""
    add_bots(sqlite_db, 1_000 - HOUSE)
    began = perf_counter()
    run = create(sqlite_db, "round-robin", top=1_000)
    planned = perf_counter() - began
    with sqlite_db.read() as c:
        queued = c.scalar(sa.select(sa.func.count()).select_from(Match))
    assert queued == 1_000, "one round of five hundred meetings, both sides"
    halves = np.random.default_rng(1).integers(0, 5, (1_000, 1_000)).astype(np.uint16)
    halves = np.triu(halves, 1) + np.tril(4 - halves.T, -1)
    met = np.full((1_000, 1_000), 2, dtype=np.uint16)
    np.fill_diagonal(met, 0)
    with sqlite_db.write() as c:  # as if all had been played
        for seeding in range(1, 1_001):
            row = halves[seeding - 1].astype("<u2")
            c.execute(
                sa.update(Entry)
                .where(Entry.seeding == seeding)
                .values(
                    halves=row.tobytes(),
                    met=met[seeding - 1].tobytes(),
                    points=float(row.sum()) / 2,
                )
            )
        c.execute(sa.update(Tournament).values(rounds_made=999))
    began = perf_counter()
    view = tournaments.tournament(sqlite_db, run.id)
    shown = perf_counter() - began
    print(f"planned in {planned:.3f} s, shown in {shown:.3f} s")
    assert view.matches == 999_000
    assert len(view.grid) == 1_000
    assert {len(row) for row in view.grid} == {1_000}
    best = view.standings[0].seeding - 1
    assert view.standings[0].points == halves[best].sum() / 2
