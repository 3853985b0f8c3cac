from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from ladder_steps import finish, lease

from engines.games import UnknownGame, find_game
from ladder.contests import leagues, tournaments
from ladder.contests.formats import FormatOptions
from ladder.errors import Conflict, NotFound, Refusal
from ladder.matches.replays import ReplayStore
from ladder.models import League, Tournament
from ladder.settings import Settings
from ladder.store import Database, migrate
from ladder.store.database import now
from ladder.values import TournamentStatus

HOUSE = len(find_game("reversi").house_bots)


@pytest.fixture
def league_id(db: Database) -> int:
    leagues.ensure_leagues(db, Settings())
    return leagues.league_named(db, "reversi", "nightly").id


def test_a_league_is_a_double_round_robin_of_the_best(
    db: Database, replays: ReplayStore, league_id: int
) -> None:
    run = leagues.run_league(db, league_id)
    view = tournaments.tournament(db, run.id)
    assert view.matches == HOUSE * (HOUSE - 1)
    assert (view.status, view.matches_finished) == (TournamentStatus.RUNNING, 0)
    order = [line.bot for line in view.standings]
    while jobs := lease(db, 10):
        for job in jobs:  # the better seed always wins, but the last draws with the one above
            first, second = (order.index(entrant.name) for entrant in job.entrants)
            tied = {first, second} == {HOUSE - 2, HOUSE - 1}
            result = (0.5, 0.5) if tied else (float(first < second), float(second < first))
            finish(db, replays, job, result)
    view = tournaments.tournament(db, run.id)
    assert view.status is TournamentStatus.FINISHED
    assert view.finished_at is not None
    assert view.winner == order[0]
    assert [line.bot for line in view.standings] == order
    assert [line.place for line in view.standings] == [*range(1, HOUSE - 1), HOUSE - 1, HOUSE - 1]
    assert view.standings[0].points == 2 * (HOUSE - 1)
    best = view.crosstable[0]
    assert all((cell.points, cell.played) == (2.0, 2) for cell in best.cells)


def test_faulty_bots_do_not_hold_a_league_up(
    db: Database, replays: ReplayStore, league_id: int
) -> None:
    run = leagues.run_league(db, league_id)
    while jobs := lease(db, 1):
        (job,) = jobs
        names = [entrant.name for entrant in job.entrants]
        at_fault = [names.index("greedy")] if "greedy" in names else []
        finish(db, replays, job, (1, 0), at_fault, "It crashed.")
    view = tournaments.tournament(db, run.id)
    assert view.status is TournamentStatus.FINISHED
    assert view.matches == view.matches_finished < HOUSE * (HOUSE - 1)


def test_a_league_without_bots_is_over_at_once(empty_db: Database) -> None:
    leagues.ensure_leagues(empty_db, Settings())
    league = leagues.league_named(empty_db, "reversi", "nightly")
    assert leagues.run_league(empty_db, league.id).status is TournamentStatus.FINISHED


def test_the_size_limits_the_entries(db: Database) -> None:
    league = leagues.create_league(
        db, leagues.NewLeague("reversi", "cup", "open", "0 12 * * *", "UTC", 4)
    )
    run = leagues.run_league(db, league.id)
    assert tournaments.tournament(db, run.id).matches == 12


def test_settings_move_the_nightly_league(db: Database, league_id: int) -> None:
    leagues.ensure_leagues(db, Settings(league_cron="30 4 * * *", league_size=9))
    league = leagues.league(db, league_id)
    assert (league.cron, league.size) == ("30 4 * * *", 9)


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"cron": "soon"}, Refusal),
        ({"cron": "0 25 * * *"}, Refusal),
        ({"timezone": "Mars/Olympus"}, Refusal),
        ({"timezone": "../etc"}, Refusal),
        ({"size": 1}, Refusal),
        ({"division": "nano"}, NotFound),
        ({"game": "no-such-game"}, UnknownGame),
        ({"format": "melee"}, Refusal),
        ({"format": "tombola"}, Refusal),
        ({"per_owner": 0}, Refusal),
        ({"name": "NIGHTLY"}, Conflict),
    ],
)
def test_bad_leagues_are_refused(
    db: Database, league_id: int, change: dict[str, object], refusal: type[Exception]
) -> None:
    good = {
        "game": "reversi",
        "name": "weekly",
        "division": "open",
        "cron": "0 3 * * 0",
        "timezone": "Europe/Berlin",
        "size": 10,
    }
    with pytest.raises(refusal):
        leagues.create_league(db, leagues.NewLeague(**{**good, **change}))  # type: ignore[arg-type]


def _born(db: Database, league_id: int, at: datetime) -> None:
    with db.write() as c:
        c.execute(sa.update(League).where(League.id == league_id).values(created_at=at))


def test_a_missed_night_is_run_once(db: Database, league_id: int) -> None:
    _born(db, league_id, datetime(2026, 1, 1, 12, tzinfo=UTC))
    morning = datetime(2026, 1, 5, 8, tzinfo=UTC)
    run = leagues.run_due(db, league_id, morning)
    assert run is not None
    assert run.scheduled_for == datetime(2026, 1, 5, 3, tzinfo=UTC)
    assert leagues.run_due(db, league_id, morning) is None
    assert leagues.run_due(db, league_id, morning + timedelta(hours=18)) is None
    tomorrow = leagues.run_due(db, league_id, morning + timedelta(hours=20))
    assert tomorrow is not None
    assert tomorrow.scheduled_for == datetime(2026, 1, 6, 3, tzinfo=UTC)


def test_a_new_league_has_missed_nothing(db: Database, league_id: int) -> None:
    assert leagues.run_due(db, league_id, now()) is None


def test_many_servers_run_a_night_once(db: Database, league_id: int) -> None:
    _born(db, league_id, datetime(2026, 1, 1, 12, tzinfo=UTC))
    at = datetime(2026, 1, 2, 3, 0, 1, tzinfo=UTC)
    with ThreadPoolExecutor(6) as servers:
        runs = list(servers.map(lambda _: leagues.run_due(db, league_id, at), range(6)))
    assert sum(run is not None for run in runs) == 1
    with db.read() as c:
        assert c.scalar(sa.select(sa.func.count()).select_from(Tournament)) == 1


def test_runs_of_earlier_releases_are_shown_as_before(
    db: Database, replays: ReplayStore, league_id: int
) -> None:
    """Databases of an earlier release have no pairings; the migration derives them from matches."""
    done = leagues.run_league(db, league_id)
    rng = random.Random(1)
    while jobs := lease(db, 20):
        for job in jobs:
            finish(db, replays, job, rng.choice([(1, 0), (0, 1), (0.5, 0.5)]))
    cut_off = leagues.run_league(db, league_id)
    (job,) = lease(db, 1)
    finish(db, replays, job, (1, 0))
    before = [tournaments.tournament(db, run.id) for run in (done, cut_off)]
    migrate.downgrade(db, "0001")
    assert migrate.upgrade(db)
    after = [tournaments.tournament(db, run.id) for run in (done, cut_off)]
    for old, new in zip(before, after, strict=True):
        assert new.standings == old.standings
        assert new.crosstable == old.crosstable
        assert (new.status, new.matches_finished) == (old.status, old.matches_finished)
    while jobs := lease(db, 20):
        for job in jobs:
            finish(db, replays, job, (1, 0))
    assert tournaments.tournament(db, cut_off.id).status is TournamentStatus.FINISHED


def test_a_league_of_any_format_has_a_history_and_champions(
    db: Database, replays: ReplayStore
) -> None:
    cup = leagues.create_league(
        db,
        leagues.NewLeague(
            "reversi",
            "cup",
            "open",
            "0 12 * * *",
            "UTC",
            4,
            format="single-elimination",
            options=FormatOptions(best_of=1),
            rated=False,
        ),
    )
    for _ in range(3):
        run = leagues.run_league(db, cup.id)
        best = tournaments.tournament(db, run.id).entries[0].bot
        while jobs := lease(db, 9):
            for job in jobs:
                names = [entrant.name for entrant in job.entrants]
                finish(db, replays, job, [1.0 if name == best else 0.0 for name in names])
    league = leagues.league(db, cup.id)
    assert [run.winner for run in league.runs] == [best] * 3
    (champion,) = league.champions
    assert (champion.bot, champion.titles, champion.owner) == (best, 3, "house")
    assert champion.latest == league.runs[0].scheduled_for


def test_a_league_may_limit_the_bots_of_one_owner(db: Database) -> None:
    cup = leagues.create_league(
        db, leagues.NewLeague("reversi", "fair", "open", "0 12 * * *", "UTC", 50, per_owner=3)
    )
    run = leagues.run_league(db, cup.id)
    assert len(tournaments.tournament(db, run.id).entries) == 3, "all bots belong to one owner"


def test_a_week_of_two_servers_has_seven_runs(db: Database, league_id: int) -> None:
    _born(db, league_id, datetime(2026, 10, 22, 12, tzinfo=UTC))
    with db.write() as c:
        zone = {"cron": "30 2 * * *", "timezone": "Europe/Berlin", "size": 2}
        c.execute(sa.update(League).where(League.id == league_id).values(**zone))
    at = datetime(2026, 10, 22, 12, tzinfo=UTC)
    with ThreadPoolExecutor(2) as servers:
        for _ in range(7 * 8):  # every three hours, through the end of summer time
            at += timedelta(hours=3)
            list(servers.map(lambda _, at=at: leagues.run_due(db, league_id, at), range(2)))
    with db.read() as c:
        slots = sorted(c.scalars(sa.select(Tournament.scheduled_for)))
    assert [slot.day for slot in slots] == list(range(23, 30))
    assert [slot.hour for slot in slots] == [0, 0, 0, 1, 1, 1, 1]
