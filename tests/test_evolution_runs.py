from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import product

import fake_evolve
import msgspec
import pytest
import sqlalchemy as sa
from ladder_steps import BOT, accept, account, lease, upload

from engines.games import UnknownGame
from ladder import evolution
from ladder.contests import leagues
from ladder.errors import Conflict, NotFound, Refusal
from ladder.evolution import RunOptions, breeding, schedules
from ladder.evolution.breeding import MAX_ATTEMPTS, RunJob
from ladder.matches.replays import ReplayStore
from ladder.models import EvolutionRun, EvolutionSchedule, Rating, Tournament, Version
from ladder.settings import Settings
from ladder.store import Database
from ladder.store import evolution as store
from ladder.store.database import now
from ladder.uploads import submissions
from ladder.values import EVOLUTION_TRANSITIONS, EvolutionStatus, Kind, TournamentStatus
from ladder.views import GenerationView

CHAMPION = fake_evolve.CHAMPION.encode()
LINES = [msgspec.convert(fake_evolve.line(n), GenerationView) for n in range(4)]


def report(generations: int = 4) -> bytes:
    return msgspec.json.encode(fake_evolve.report("tanks", 7, generations))


def take(db: Database, name: str = "one", most: int = 1) -> RunJob | None:
    return breeding.lease(db, name, 60, most)


def taken(db: Database, name: str = "one") -> RunJob:
    job = take(db, name)
    assert job is not None
    return job


def status(db: Database, run_id: int) -> EvolutionStatus:
    return evolution.run(db, run_id).run.status


def test_runs_of_games_that_are_not_compiled_wait(sqlite_db: Database) -> None:
    run_id = evolution.start(sqlite_db, evolution.RunRequest("tanks", guides="house:Walls")).run.id
    assert breeding.lease(sqlite_db, "one", 60, 1, ("reversi",)) is None
    assert status(sqlite_db, run_id) is EvolutionStatus.QUEUED
    job = breeding.lease(sqlite_db, "two", 60, 1, ("reversi", "tanks"))
    assert job is not None
    assert job.run_id == run_id


# Requests for runs.


def test_a_run_is_against_the_leaders_of_that_moment(db: Database) -> None:
    with db.write() as c:
        chosen = list(c.scalars(sa.select(Rating.version_id).where(Rating.game == "tanks")))[:2]
        for place, version_id in enumerate(chosen):
            best = sa.update(Rating).where(Rating.version_id == version_id)
            c.execute(best.values(score=9.0 - place))
    view = evolution.start(
        db, evolution.RunRequest("tanks", guides="ladder:2, house:Walls"), seed=7
    )
    with db.read() as c:
        pinned = [guide.version_id for guide in store.guides(c, view.run.id)]
    assert pinned[:2] == chosen
    assert [guide.name for guide in view.guides][2:] in (["Walls"], [])
    assert (view.run.status, view.run.seed, view.run.owner) == ("queued", 7, "evolve")
    with db.write() as c:
        c.execute(sa.update(Rating).values(score=0.0))
    assert [guide.name for guide in evolution.run(db, view.run.id).guides] == [
        guide.name for guide in view.guides
    ]


def test_leaders_of_every_kind_are_guides(db: Database, replays: ReplayStore) -> None:
    for name, code in (("coded", BOT), ("chaser", CHAMPION)):
        accept(db, replays, upload(db, account(db, name), name, code, "tanks"))
    with db.write() as c:
        uploads = sa.select(Version.id).where(Version.kind != Kind.HOUSE).scalar_subquery()
        c.execute(sa.update(Rating).where(Rating.version_id.in_(uploads)).values(score=99.0))
    view = evolution.start(db, evolution.RunRequest("tanks"))
    assert {guide.name: guide.kind for guide in view.guides[:2]} == {
        "coded": Kind.PYTHON,
        "chaser": Kind.PROGRAM,
    }
    code = {guide.name: guide.code for guide in taken(db).guides}
    assert (code["coded"], code["chaser"]) == (BOT, CHAMPION)
    assert code[view.guides[2].name] is None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"game": "go"}, "there is no game"),
        ({"game": "connect-four"}, "cannot be evolved"),
        ({"guides": ""}, "name the guides"),
        ({"guides": "ladder:0"}, "1 to 50"),
        ({"guides": "ladder:x"}, "ladder:N or house:NAME"),
        ({"guides": "file:/etc/passwd"}, "ladder:N or house:NAME"),
        ({"guides": "house:Nobody"}, "no house bot 'Nobody'"),
        ({"seed": -1}, "seed"),
        ({"options": RunOptions(preset="slow")}, "no preset 'slow'"),
        ({"options": RunOptions(population=1)}, "population"),
        ({"owner": "nobody"}, "no account"),
        ({"bot": "../x"}, "letters, digits"),
        ({"bot": "Walls"}, "belongs to a house bot"),
    ],
)
def test_bad_requests_are_refused_without_a_trace(
    sqlite_db: Database, change: dict[str, object], told: str
) -> None:
    request = {"game": "tanks", **change}
    seed = request.pop("seed", None)
    with pytest.raises((Refusal, UnknownGame), match=told):
        evolution.start(sqlite_db, evolution.RunRequest(**request), seed=seed)  # type: ignore[arg-type]
    assert evolution.page(sqlite_db, game=None, after=None, limit=9).rows == []


@pytest.mark.parametrize(
    "options",
    [
        *({"generations": 0}, {"population": -1}, {"final_games": 10**9}, {"preset": "a b"}),
        *({"minutes": 0.0}, {"minutes": float("nan")}),
    ],
)
def test_absurd_options_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(Refusal):
        RunOptions(**options)  # type: ignore[arg-type]


# The course of a run.


def test_every_step_that_is_not_allowed_is_refused(db: Database) -> None:
    run_id = evolution.start(db, evolution.RunRequest("tanks")).run.id
    for old, new in product(EvolutionStatus, EvolutionStatus):
        with db.write() as c:
            c.execute(sa.update(EvolutionRun).values(status=old))
            assert store.move(c, run_id, new) == (new in EVOLUTION_TRANSITIONS[old]), (old, new)


def test_a_champion_is_entered_with_its_lineage(db: Database) -> None:
    run_id = evolution.start(
        db, evolution.RunRequest("tanks", options=RunOptions(population=64)), seed=7
    ).run.id
    job = taken(db)
    assert job.settings == {"population": 64}
    assert breeding.record(db, job, 60, LINES[:2])
    assert breeding.record(db, job, 60, LINES)
    assert breeding.finish(db, job, CHAMPION, report(), "(simple)")
    view = evolution.run(db, run_id)
    assert view.run.status is EvolutionStatus.FINISHED
    assert [line.generation for line in view.generations] == [0, 1, 2, 3]
    assert view.generations[0].diversity is None
    assert view.generations[3].instructions == 10**10
    assert view.report is not None
    assert view.report.finals.holdout[0].low == 0.26
    assert view.simplified == "(simple)"
    assert view.run.bot_id is not None
    bot = submissions.bot(db, view.run.bot_id, None)
    assert (bot.name, bot.owner, bot.kind) == ("evolved", "evolve", Kind.PROGRAM)
    (version,) = bot.versions
    assert version.evolution_run == run_id
    assert version.lineage is not None
    assert (version.lineage.run, version.lineage.seed) == (run_id, 7)
    assert (version.lineage.generation, version.lineage.population) == (3, 64)
    assert [g.sha256 for g in version.lineage.guides] == [g.sha256 for g in view.guides]
    assert lease(db)[0].entrants[0].sha256 == view.sha256, "the champion is validated"


def test_a_finished_run_is_not_finished_again(db: Database) -> None:
    run_id = evolution.start(db, evolution.RunRequest("tanks")).run.id
    job = taken(db)
    assert breeding.finish(db, job, CHAMPION, report())
    assert not breeding.finish(db, job, CHAMPION, report())
    assert not breeding.record(db, job, 60, LINES)
    breeding.give_up(db, job, "late")
    breeding.hand_back(db, job)
    assert status(db, run_id) is EvolutionStatus.FINISHED
    with pytest.raises(Conflict, match="ended"):
        evolution.stop(db, run_id)


def test_one_at_a_time_unless_more_are_allowed(db: Database) -> None:
    first, second = (evolution.start(db, evolution.RunRequest("tanks")).run.id for _ in range(2))
    assert taken(db).run_id == first
    assert take(db, "two") is None
    more = take(db, "two", most=2)
    assert more is not None
    assert more.run_id == second


def test_servers_take_a_run_once(db: Database) -> None:
    evolution.start(db, evolution.RunRequest("tanks"))
    evolution.start(db, evolution.RunRequest("tanks"))
    with ThreadPoolExecutor(6) as servers:
        jobs = list(servers.map(lambda n: take(db, f"server {n}"), range(6)))
    assert sum(job is not None for job in jobs) == 1


def test_the_run_of_a_silent_server_is_taken_over(db: Database) -> None:
    run_id = evolution.start(db, evolution.RunRequest("tanks")).run.id
    old = taken(db, "old")
    assert breeding.record(db, old, 60, LINES[:2])
    assert breeding.expire(db) == 0
    assert breeding.expire(db, now() + timedelta(seconds=61)) == 1
    new = taken(db, "new")
    assert not breeding.record(db, old, 60, LINES), "the old server has lost the run"
    assert not breeding.finish(db, old, CHAMPION, report())
    assert breeding.record(db, new, 60, LINES)
    assert breeding.finish(db, new, CHAMPION, report())
    assert len(evolution.run(db, run_id).generations) == 4


def test_a_run_without_progress_is_given_up(db: Database) -> None:
    run_id = evolution.start(db, evolution.RunRequest("tanks")).run.id
    for attempt in range(MAX_ATTEMPTS):
        assert status(db, run_id) is EvolutionStatus.QUEUED
        breeding.give_up(db, taken(db, f"{attempt}"), "it broke")
    view = evolution.run(db, run_id)
    assert (view.run.status, view.trouble) == (EvolutionStatus.FAILED, "it broke")
    assert view.run.ended_at is not None


def test_progress_and_orderly_stops_do_not_count_as_failures(db: Database) -> None:
    run_id = evolution.start(db, evolution.RunRequest("tanks")).run.id
    for number, line in enumerate(LINES):
        job = taken(db, f"{number}")
        assert breeding.record(db, job, 60, [line])
        breeding.give_up(db, job, "it broke")
    for number in range(MAX_ATTEMPTS + 1):
        breeding.hand_back(db, taken(db, f"again {number}"))
    assert status(db, run_id) is EvolutionStatus.QUEUED


def test_stopping_takes_the_run_from_its_server(db: Database) -> None:
    run_id = evolution.start(db, evolution.RunRequest("tanks")).run.id
    job = taken(db)
    assert evolution.stop(db, run_id).run.status is EvolutionStatus.CANCELLED
    assert not breeding.record(db, job, 60, LINES)
    assert take(db) is None
    with pytest.raises(NotFound):
        evolution.stop(db, 99)


@pytest.mark.parametrize("told", [b"{}", b"{", b'{"generations": NaN}', b"\xff"])
def test_a_bad_report_is_refused(sqlite_db: Database, told: bytes) -> None:
    evolution.start(sqlite_db, evolution.RunRequest("tanks"))
    with pytest.raises(Refusal, match="cannot be read"):
        breeding.finish(sqlite_db, taken(sqlite_db), CHAMPION, told)


def test_a_bad_champion_is_not_entered(db: Database) -> None:
    run_id = evolution.start(db, evolution.RunRequest("tanks")).run.id
    job = taken(db)
    for champion in (BOT, b"(program tanks)"):
        with pytest.raises(Refusal):
            breeding.finish(db, job, champion, report())
    assert status(db, run_id) is EvolutionStatus.RUNNING, "the run is unchanged"


def test_runs_are_paged_by_key(db: Database) -> None:
    ids = [evolution.start(db, evolution.RunRequest("tanks")).run.id for _ in range(5)]
    breeding.record(db, taken(db), 60, LINES)
    first = evolution.page(db, game="tanks", after=None, limit=3)
    assert first.next is not None
    rest = evolution.page(db, game=None, after=first.next, limit=3)
    assert [run.id for run in [*first.rows, *rest.rows]] == ids[::-1]
    assert rest.next is None
    assert (rest.rows[-1].generation, rest.rows[-1].best) == (3, LINES[3].best)
    assert evolution.page(db, game="reversi", after=None, limit=3).rows == []


# Schedules.


def born(db: Database, at: datetime) -> None:
    with db.write() as c:
        c.execute(sa.update(EvolutionSchedule).values(created_at=at))


def slots(db: Database) -> list[datetime | None]:
    with db.read() as c:
        return list(c.scalars(sa.select(EvolutionRun.scheduled_for).order_by(EvolutionRun.id)))


def test_many_servers_breed_once_for_each_time(db: Database) -> None:
    made = schedules.schedule(db, evolution.RunRequest("tanks"), cron="0 4 * * *")
    born(db, datetime(2026, 1, 1, 12, tzinfo=UTC))
    at = datetime(2026, 1, 2, 4, 0, 1, tzinfo=UTC)
    with ThreadPoolExecutor(6) as servers:
        due = servers.map(lambda _: schedules.run_due(db, made.id, at), range(6))
        assert sum(run is not None for run in due) == 1
    assert slots(db) == [datetime(2026, 1, 2, 4, tzinfo=UTC)]
    assert schedules.run_due(db, made.id, at + timedelta(hours=20)) is None
    week = at + timedelta(days=7)
    assert schedules.run_due(db, made.id, week) is not None, "missed nights count once"
    assert schedules.run_due(db, made.id, week) is None
    assert slots(db)[1:] == [datetime(2026, 1, 9, 4, tzinfo=UTC)]


def test_it_follows_the_league_of_the_night(db: Database) -> None:
    leagues.ensure_leagues(db, Settings())
    league = leagues.league_named(db, "tanks", "nightly")
    made = schedules.schedule(
        db, evolution.RunRequest("tanks", options=RunOptions("quick")), league="nightly"
    )
    assert (made.league, made.cron, made.next_run) == ("nightly", None, None)
    born(db, datetime(2026, 1, 1, tzinfo=UTC))
    night = datetime(2026, 1, 2, 3, tzinfo=UTC)
    tournament = leagues.run_league(db, league.id, night)
    assert schedules.run_due(db, made.id) is None, "the league is being played"
    with db.write() as c:
        c.execute(sa.update(Tournament).values(status=TournamentStatus.FINISHED))
    with ThreadPoolExecutor(6) as servers:
        due = list(servers.map(lambda _: schedules.run_due(db, made.id), range(6)))
    (run_id,) = [run for run in due if run is not None]
    run = evolution.run(db, run_id)
    assert (run.run.scheduled_for, run.settings) == (night, {"preset": "quick"})
    assert tournament.id


def test_a_new_schedule_has_missed_nothing(db: Database) -> None:
    leagues.ensure_leagues(db, Settings())
    league = leagues.league_named(db, "tanks", "nightly")
    leagues.run_league(db, league.id, now() - timedelta(hours=1))
    with db.write() as c:
        c.execute(sa.update(Tournament).values(status=TournamentStatus.FINISHED))
    follows = schedules.schedule(db, evolution.RunRequest("tanks"), league="nightly")
    timed = schedules.schedule(db, evolution.RunRequest("tanks", bot="other"), cron="* * * * *")
    assert schedules.run_due(db, follows.id) is None
    assert timed.next_run is not None
    assert schedules.run_due(db, timed.id, timed.next_run - timedelta(seconds=1)) is None


def test_a_bot_has_one_schedule(db: Database) -> None:
    first = schedules.schedule(db, evolution.RunRequest("tanks"), cron="0 4 * * *")
    second = schedules.schedule(
        db, evolution.RunRequest("tanks", guides="house:Walls"), cron="0 5 * * *"
    )
    assert first.id == second.id
    (only,) = schedules.schedules(db)
    assert (only.cron, only.guides) == ("0 5 * * *", "house:Walls")
    born(db, datetime(2026, 1, 1, tzinfo=UTC))
    run_id = schedules.run_due(db, only.id, datetime(2026, 1, 2, tzinfo=UTC))
    schedules.unschedule(db, "tanks")
    assert schedules.schedules(db) == []
    assert schedules.run_due(db, only.id) is None
    assert run_id is not None
    assert status(db, run_id) is EvolutionStatus.QUEUED, "the run stays"
    with pytest.raises(NotFound):
        schedules.unschedule(db, "tanks")


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ({}, "either a cron expression or a league"),
        ({"cron": "0 4 * * *", "league": "nightly"}, "either"),
        ({"cron": "whenever"}, "no cron expression"),
        ({"cron": "0 4 * * *", "timezone": "Mars"}, "no time zone"),
        ({"league": "nightly"}, "no league called"),
        ({"cron": "0 4 * * *", "guides": "x"}, "ladder:N or house:NAME"),
    ],
)
def test_bad_schedules_are_refused(
    sqlite_db: Database, request_: dict[str, str], told: str
) -> None:
    times = {name: value for name, value in request_.items() if name != "guides"}
    wanted = evolution.RunRequest("tanks", guides=request_.get("guides", evolution.GUIDES))
    with pytest.raises(Refusal, match=told):
        schedules.schedule(sqlite_db, wanted, **times)
