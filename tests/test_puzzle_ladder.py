"""Games of every kind on the ladder: uploads, leagues, tournaments, challenges, audits."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from ladder_steps import account, upload
from replay_files import own_file
from shelf import Shelf
from test_cli import ladder
from toy_games import entered, install

from engines.games import UnknownGame, find_game
from ladder.admin import audits
from ladder.admin.audits import Finding
from ladder.boards import ladders
from ladder.contests import leagues, tournaments
from ladder.contests.formats import FormatOptions
from ladder.contests.tournaments import Selection
from ladder.errors import Refusal, RunnerFailure
from ladder.matches import challenges, leasing, listing, pairing, results
from ladder.matches.replays import ReplayStore
from ladder.matches.results import Finished
from ladder.runner import play_job
from ladder.runner.replay import decode, encode
from ladder.runner.selftest import choose_tier
from ladder.settings import Settings
from ladder.store import Database
from ladder.uploads import submissions
from ladder.uploads.validations import validation
from ladder.values import Entrant, Kind, Limits, MatchJob, MatchReport, VersionStatus
from tests.engines.toys import ON_THE_LADDER, Sums

SOLVER = b"""
def agent(observation, configuration):
    return [0] if observation["number"] == 0 else [0, 1]
"""
OWNER = "lab:1:x"


@pytest.fixture
def toys() -> Iterator[None]:
    with entered(*ON_THE_LADDER):
        yield


@pytest.fixture
def db(toys: None, sqlite_shelf: Shelf) -> Iterator[Database]:
    """A database with the house bots of the toys, too."""
    with sqlite_shelf.copy("migrated") as url:
        found = Database(url)
        submissions.seed_house_bots(found)
        yield found
        found.close()


@pytest.fixture(scope="module")
def data() -> Iterator[Path]:
    """A data folder. The user ids of bots cannot enter the folders of pytest."""
    with tempfile.TemporaryDirectory(prefix="ladder-puzzles-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def tier(data: Path) -> str:
    return str(choose_tier(data))


def play_all(db: Database, replays: ReplayStore, data: Path, tier: str | None) -> list[MatchReport]:
    """Play the queue, as a worker does."""
    reports = []
    while jobs := leasing.lease(db, OWNER, 60, 10, leasing.Playable(tuple(Kind))):
        for job in jobs:
            reports.append(play_job(job, data, tier))
            assert results.finish(db, replays, OWNER, [Finished(reports[-1], job.attempt)])
    return reports


@pytest.mark.parametrize("game", [game.name for game in ON_THE_LADDER])
def test_every_starter_is_accepted(
    game: str, db: Database, replays: ReplayStore, data: Path, tier: str
) -> None:
    sent = upload(db, account(db), "first", find_game(game).starter.encode(), game)
    play_all(db, replays, data, tier)
    version = submissions.bot(db, sent.id, None).versions[0]
    assert version.status is VersionStatus.ACCEPTED, version


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (
            b"def agent(o, c):\n    return 'x' * 10_000_000\n",
            "The reply is longer than 65536 bytes",
        ),
        (b"def agent(o, c):\n    raise ValueError('no')\n", "bot.py line 2: ValueError: no"),
        (b"agent =", "bot.py line 1 column 8: SyntaxError"),
    ],
)
def test_a_solver_with_only_faults_is_rejected(
    code: bytes, told: str, db: Database, replays: ReplayStore, data: Path, tier: str
) -> None:
    ada = account(db)
    sent = upload(db, ada, "eve", code, "sums")
    play_all(db, replays, data, tier)
    view = validation(db, sent.id, 1, ada)
    assert view.version.status is VersionStatus.REJECTED
    assert told in view.version.reason
    if "line" in told:
        assert view.excerpt is not None


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("None", "Instance 1 is not solved: the bot gave up with null"),
        ("{'a': 'b'}", 'Instance 1 is not solved by {"a":"b"}: a solution is a list of places'),
        ("[0, 1]", "Instance 1 is not solved by [0,1]: the numbers add up to"),
    ],
)
def test_wrong_answers_are_accepted_and_reported_to_the_author(
    answer: str, told: str, db: Database, replays: ReplayStore, data: Path, tier: str
) -> None:
    ada = account(db)
    code = f"def agent(o, c):\n    return {answer}\n".encode()
    sent = upload(db, ada, "eve", code, "sums")
    (report,) = play_all(db, replays, data, tier)
    assert submissions.bot(db, sent.id, None).versions[0].status is VersionStatus.ACCEPTED
    (log,) = listing.logs(db, report.match_id, ada).logs
    assert log.complaint.startswith(told)


def test_three_matches_with_only_faults_suspend(
    db: Database, replays: ReplayStore, data: Path, tier: str
) -> None:
    ada = account(db)
    code = b"def agent(o, c):\n    if c['seat'] + c['seats'] != 2: raise ValueError\n"
    sent = upload(db, ada, "eve", code, "sums")
    play_all(db, replays, data, tier)
    house = next(iter(find_game("sums").house_bots))
    other = next(b for b in ladders.page(db, "sums", "open", None, 9).rows if b.bot == house)
    challenges.challenge(db, ada, "sums", [other.bot_id, sent.id], games=1)
    challenges.challenge(db, ada, "sums", [other.bot_id, sent.id], games=1)
    play_all(db, replays, data, tier)
    assert submissions.bot(db, sent.id, None).versions[0].status is VersionStatus.ACCEPTED
    challenges.challenge(db, ada, "sums", [other.bot_id, sent.id], games=1)
    play_all(db, replays, data, tier)
    version = submissions.bot(db, sent.id, ada).versions[0]
    assert version.status is VersionStatus.SUSPENDED
    assert "3 faults in a row" in (version.reason or "")


def test_puzzles_are_rated_and_have_leagues_and_tournaments(
    db: Database, replays: ReplayStore, data: Path, tier: str
) -> None:
    ada = account(db)
    upload(db, ada, "solver", SOLVER, "sums")
    play_all(db, replays, data, tier)
    rng = random.Random(1)
    for _ in range(8):
        pairing.pair(db, find_game("sums"), rng)
        play_all(db, replays, data, tier)
    rows = ladders.page(db, "sums", "open", None, 9).rows
    assert {row.bot for row in rows[:2]} == {"pairs", "solver"}
    assert rows[-1].bot == "gives-up"
    assert set(rows[0].columns) == {"solved", "moves"}
    leagues.ensure_leagues(db, Settings(data=data))
    run = leagues.run_league(db, leagues.league_named(db, "sums", "nightly").id, actor="root")
    duel = tournaments.create(
        db,
        tournaments.NewTournament("sums", "round-robin", Selection(top=3), FormatOptions(seed=1)),
        actor="root",
    )
    play_all(db, replays, data, tier)
    for one in (run, duel):
        view = tournaments.tournament(db, one.id)
        assert view.status == "finished"
        assert view.standings[0].bot in ("pairs", "solver")


def audited(db: Database, replays: ReplayStore, data: Path, match_id: int) -> Finding:
    return audits.audit(db, replays, match_id, Limits(), audits.player(data, "auto")).finding


def test_audits_of_puzzles(db: Database, replays: ReplayStore, data: Path, tier: str) -> None:
    upload(db, account(db), "solver", SOLVER, "sums")
    (validated,) = play_all(db, replays, data, tier)
    run = tournaments.create(
        db,
        tournaments.NewTournament(
            "sums", "round-robin", Selection(top=4), FormatOptions(seed=1, legs=1)
        ),
        actor="root",
    )
    assert run.id
    (match,) = [
        report
        for report in play_all(db, replays, data, tier)
        if all(e.kind is Kind.HOUSE for e in decode(report.replay).entrants)
    ][:1]
    assert audited(db, replays, data, validated.match_id) is Finding.CHECKED
    assert audited(db, replays, data, match.match_id) is Finding.REPEATED
    for report in (validated, match):
        document = decode(report.replay)
        (one, other), *rest = document.answers
        forged = msgspec.structs.replace(one, answer="[1]", solved=False, moves=0)
        wrong = msgspec.structs.replace(document, answers=((forged, other), *rest))
        path = own_file(db, replays, report.match_id)
        path.write_bytes(encode(wrong))
        with db.write() as c:
            c.exec_driver_sql("UPDATE matches SET rules = 'other'")
        assert audited(db, replays, data, report.match_id) is Finding.OTHER_RULES
        path.write_bytes(report.replay)
        right = Finding.CHECKED if report is validated else Finding.REPEATED
        assert audited(db, replays, data, report.match_id) is right  # under other rules, too
        path.write_bytes(encode(wrong))
        with db.write() as c:
            c.exec_driver_sql(f"UPDATE matches SET rules = '{report.rules}'")
        assert audited(db, replays, data, report.match_id) is Finding.DIFFERENT


def test_a_match_of_a_missing_game(db: Database, replays: ReplayStore, data: Path) -> None:
    tournaments.create(
        db,
        tournaments.NewTournament("sums", "round-robin", Selection(top=2), FormatOptions(seed=1)),
        actor="root",
    )
    report = play_all(db, replays, data, None)[0]
    with db.write() as c:
        c.exec_driver_sql("UPDATE matches SET game = 'gone'")
    found = audits.audit(db, replays, report.match_id, Limits(), audits.player(data, "auto"))
    assert found.finding is Finding.SKIPPED
    assert "is not installed" in found.detail


@pytest.mark.parametrize("seats", [0, 1, 5])
def test_numbers_of_seats_that_are_not_allowed(seats: int, db: Database) -> None:
    ada = account(db)
    rows = ladders.page(db, "dice-race", "open", None, 9).rows
    chosen = [rows[number % len(rows)].bot_id for number in range(seats)]
    told = f"dice-race is played by 2, 3 or 4 bots, not {seats}"
    with pytest.raises(Refusal, match=told):
        challenges.challenge(db, ada, "dice-race", chosen)
    with pytest.raises(Refusal, match="dice-race is played by 2, 3 or 4 bots"):
        tournaments.check_format("dice-race", "melee", FormatOptions(seats=max(seats, 1)))


def test_a_tournament_needs_enough_bots_for_a_match(db: Database) -> None:
    (first, *_) = ladders.page(db, "sums", "open", None, 9).rows
    for form in ("round-robin", "melee"):
        with pytest.raises(Refusal, match="enter at least 2, not 1"):
            tournaments.create(
                db, tournaments.NewTournament("sums", form, Selection([first.bot_id])), actor="root"
            )


def test_a_game_with_more_seats_than_house_bots_validates(
    sqlite_shelf: Shelf, replays: ReplayStore, data: Path, tier: str
) -> None:
    class Six(Sums):
        name, title, seats = "six-sums", "Six Sums", frozenset({6})

    with entered(Six()), sqlite_shelf.copy("migrated") as url:
        db = Database(url)
        submissions.seed_house_bots(db)
        sent = upload(db, account(db), "solver", SOLVER, "six-sums")
        (report,) = play_all(db, replays, data, tier)
        assert len(report.seats) == 6
        assert submissions.bot(db, sent.id, None).versions[0].status is VersionStatus.ACCEPTED
        db.close()


def test_bots_are_not_blamed_for_an_unknown_game(data: Path) -> None:
    """Server and worker may be of different versions."""
    seats = (Entrant("a", Kind.HOUSE, ""), Entrant("b", Kind.HOUSE, ""))
    with pytest.raises(RunnerFailure, match="there is no game of this name"):
        play_job(MatchJob(1, 1, "gone", 1, seats, measured=(0,)), data, None)
    with pytest.raises(UnknownGame):
        ladders.divisions("gone")


@pytest.mark.slow
def test_toys_are_played_from_the_shell(tmp_path: Path) -> None:
    there = install(tmp_path / "plugins")
    bot = tmp_path / "solver.py"
    bot.write_bytes(SOLVER)
    shown = ladder("play", "sums", bot, "singles", "--games", "2", cwd=tmp_path, **there)
    assert shown.split("solver.py")[1].split()[1] == "2"  # wins
    shown = ladder("play", "tug-of-war", "steady", "hasty", "--games", "1", cwd=tmp_path, **there)
    assert "steady" in shown
    bot.write_text("def agent(o, c):\n    return [9]\n")
    shown = ladder("play", "sums", bot, "singles", "--games", "1", cwd=tmp_path, **there)
    assert "solver.py: Instance 1 is not solved by [9]: a solution is a list of places" in shown
    bot.write_text("def agent(o, c):\n    raise ValueError\n")
    shown = ladder("play", "sums", bot, "singles", "--games", "1", cwd=tmp_path, code=1, **there)
    assert "Instance 1: The bot raised an exception: bot.py line 2: ValueError" in shown
    shown = ladder("play", "sums", "singles", cwd=tmp_path, code=1, **there)
    assert "sums is played by 2, 3 or 4 bots, not 1" in shown
    ladder("migrate", cwd=tmp_path, **there)
    shown = ladder("league", "run", "sums", cwd=tmp_path, **there)
    assert "pairs" in shown
    shown = ladder("replay", "show", "1", cwd=tmp_path, **there)
    assert "instance 3: " in shown
    assert "solved in 1: +" in shown
    assert "3 instances, same verdict" in ladder("replay", "verify", "1", cwd=tmp_path, **there)
    shown = ladder("audit", "--sample", "1", "--game", "sums", cwd=tmp_path, **there)
    assert "repeated" in shown
    assert "different" not in shown
    shown = ladder("audit", "--sample", "1", cwd=tmp_path)  # without the plug-in
    assert "skipped" in shown
