"""Tournaments on real databases: every format to its end, also with bots that leave or fail."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import combinations
from time import perf_counter

import numpy as np
import pytest
import sqlalchemy as sa
from ladder_steps import finish, lease
from tournament_steps import (
    ADMIN,
    HOUSE,
    add_bots,
    by_chance,
    by_strength,
    check_records,
    create,
    play_out,
)

from ladder.contests import tournaments
from ladder.contests.formats import FormatOptions
from ladder.contests.tournaments import Selection
from ladder.errors import NotFound, Refusal
from ladder.matches.replays import ReplayStore
from ladder.models import Entry, Match, Tournament
from ladder.store import Database, ratings
from ladder.store.database import now
from ladder.values import TournamentStatus


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
        assert view.winner is not None, "every knockout has a winner"
    check_records(sqlite_db, run.id)


def test_a_running_round_robin_shows_its_progress(
    sqlite_db: Database, replays: ReplayStore
) -> None:
    """All its rounds are paired at once, and are played one after the other."""
    run = tournaments.create(
        sqlite_db,
        tournaments.NewTournament("reversi", "round-robin", Selection(top=6)),
        actor=ADMIN,
    )
    view = tournaments.tournament(sqlite_db, run.id)
    assert (view.current_round, view.rounds_made, view.rounds_planned) == (1, 5, 5)
    for played in range(1, view.matches + 1):
        (job,) = lease(sqlite_db)
        assert finish(sqlite_db, replays, job, (1, 0))
        view = tournaments.tournament(sqlite_db, run.id)
        assert view.matches_finished == played
        assert view.current_round == min(5, 1 + played // (view.matches // 5))


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


# Entries that leave


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


def test_a_withdrawn_bot_loses_by_walkover(db: Database, replays: ReplayStore) -> None:
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


def test_chosen_bots_are_seeded_by_rating(db: Database) -> None:
    everybody = tournaments.tournament(db, create(db, "round-robin").id).entries
    assert len(everybody) == HOUSE
    chosen = [everybody[3].bot_id, everybody[0].bot_id]
    view = tournaments.tournament(db, create(db, "swiss", bots=chosen).id)
    assert [entry.bot_id for entry in view.entries] == chosen[::-1]


@pytest.mark.parametrize(
    ("form", "game", "wanted", "options"),
    [
        ("tombola", "reversi", Selection(), FormatOptions()),
        ("melee", "reversi", Selection(), FormatOptions()),
        ("swiss", "reversi", Selection(), FormatOptions(best_of=3)),
        ("swiss", "reversi", Selection(bots=[1, 1]), FormatOptions()),
        ("swiss", "reversi", Selection(bots=[10**6]), FormatOptions()),
        ("gauntlet", "reversi", Selection(top=3), FormatOptions(champion=10**6)),
        ("melee", "tanks-melee", Selection(), FormatOptions(seats=99)),
    ],
)
def test_impossible_tournaments_are_refused(
    sqlite_db: Database, form: str, game: str, wanted: Selection, options: FormatOptions
) -> None:
    with pytest.raises(Refusal):
        tournaments.create(
            sqlite_db, tournaments.NewTournament(game, form, wanted, options), actor=ADMIN
        )
    assert tournaments.page(sqlite_db, None, None, 9).rows == []


def test_a_tournament_waits_for_its_time(db: Database, replays: ReplayStore) -> None:
    later = now() + timedelta(hours=1)
    run = tournaments.create(
        db,
        tournaments.NewTournament("reversi", "swiss", Selection(top=4), starts_at=later),
        actor=ADMIN,
    )
    assert run.status is TournamentStatus.PENDING
    assert tournaments.carry_on(db) == []
    assert lease(db, 1) == []
    with ThreadPoolExecutor(4) as servers:
        at = later + timedelta(seconds=1)
        list(servers.map(lambda _: tournaments.carry_on(db, at), range(4)))
    assert tournaments.tournament(db, run.id).rounds_made == 1
    assert len(lease(db, 50)) == 4


# Many entries


def test_a_thousand_bots_are_planned_and_shown_quickly(sqlite_db: Database) -> None:
    """It prints the time; it asserts only the numbers of matches and rounds."""
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
    with sqlite_db.write() as c:  # finish all matches
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
