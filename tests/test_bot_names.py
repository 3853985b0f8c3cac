"""Bots of several owners with one name: how they are told apart, found, and stored."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from ladder_steps import accept, account, upload

from ladder import evolution
from ladder.boards import leaderboards
from ladder.contests import leagues
from ladder.errors import NotFound, Refusal
from ladder.evolution import RunRequest, schedules
from ladder.matches import challenges, leasing, listing
from ladder.matches.replays import ReplayStore
from ladder.models import Bot, EvolutionSchedule
from ladder.people.bot_names import find_bots
from ladder.settings import Settings
from ladder.store import Database, bots
from ladder.store.database import now
from ladder.uploads import submissions
from ladder.values import BoardFilter, Kind, distinct_names, full_name


def test_names_of_people_show_their_owner() -> None:
    assert full_name("ada", "mybot") == "ada/mybot"
    assert full_name("house", "greedy") == "greedy"
    three = [("ada", "mybot"), ("bob", "mybot"), ("ada", "other")]
    assert distinct_names(three) == ["ada/mybot", "bob/mybot", "other"]
    assert distinct_names([("ada", "mybot"), ("ada", "mybot")]) == ["mybot", "mybot"]


def test_a_class_may_use_one_name(db: Database) -> None:
    """Everybody who copies the first example has a bot of that name, and updates it."""
    people = [account(db, name) for name in ("ada", "bob", "carl")]
    first = [upload(db, one) for one in people]
    again = [upload(db, one, "MyBot", b"# 2\n" + one.name.encode()) for one in people]
    assert len({one.id for one in first}) == 3
    assert [one.id for one in again] == [one.id for one in first]
    assert [one.name for one in again] == ["mybot"] * 3
    assert [one.version.number for one in again] == [2] * 3
    assert [submissions.source_of(db, "reversi", "mybot", one) for one in people] == [
        b"# 2\nada",
        b"# 2\nbob",
        b"# 2\ncarl",
    ]
    with db.read() as c:
        assert bots.count_bots(c, people[1].id) == 1


def test_bots_are_found_by_name(db: Database) -> None:
    ada, bob = account(db, "Ada L"), account(db, "bob")
    mine, his = upload(db, ada).id, upload(db, bob).id
    other = upload(db, bob, "other_1").id
    (house,) = find_bots(db, "reversi", ["greedy"])
    assert find_bots(db, "reversi", ["ada l/MYBOT", "bob/mybot", "Other_1"]) == [mine, his, other]
    assert find_bots(db, "reversi", ["house/greedy", 12, "34"]) == [house, 12, 34]
    with pytest.raises(Refusal, match=r"several bots 'mybot': 'Ada L/mybot', 'bob/mybot'; write"):
        find_bots(db, "reversi", ["mybot"])
    for nobody in ("other-1", "other", "eve/mybot", "mybot/2", "", "a/b/mybot", "9" * 30):
        with pytest.raises(NotFound, match=f"reversi has no bot '{nobody}'"):
            find_bots(db, "reversi", [nobody])
    with pytest.raises(NotFound):
        find_bots(db, "connect-four", ["ada l/mybot"])


def test_many_candidates_are_cut(db: Database) -> None:
    for number in range(12):
        upload(db, account(db, f"p{number}"))
    with pytest.raises(Refusal, match=r"'p9/mybot' and others; write the owner"):
        find_bots(db, "reversi", ["mybot"])


def test_a_search_finds_names_and_owners(db: Database, replays: ReplayStore) -> None:
    ada, bob = account(db), account(db, "bob")
    for owner in (ada, bob):
        accept(db, replays, upload(db, owner))

    def found(text: str) -> list[str]:
        wanted = BoardFilter(None, text)
        lines = leaderboards.page(db, "reversi", "open", None, 50, wanted).lines
        return sorted(full_name(line.row.owner, line.row.bot) for line in lines)

    assert found("mybo") == ["ada/mybot", "bob/mybot"]
    assert found("bob/my") == ["bob/mybot"]
    assert found("eve/my") == []
    assert "bob/mybot" not in found(str(bob.id)), "the id of the owner is no part of the name"


def test_bots_with_one_name_meet(db: Database, replays: ReplayStore) -> None:
    ada, bob = account(db), account(db, "bob")
    submissions_ = [upload(db, owner) for owner in (ada, bob)]
    for one in submissions_:
        accept(db, replays, one)
    mine, his = (one.id for one in submissions_)
    made = challenges.challenge(db, ada, "reversi", [mine, his])
    job = leasing.job_again(db, made.id, Settings().limits)
    assert [one.name for one in job.entrants] == ["ada/mybot", "bob/mybot"]
    against_house = challenges.challenge(
        db, ada, "reversi", [mine, *find_bots(db, "reversi", ["greedy"])]
    )
    job = leasing.job_again(db, against_house.id, Settings().limits)
    assert [one.name for one in job.entrants] == ["mybot", "greedy"], "as in earlier replays"
    seats = listing.get(db, made.id).seats
    assert [full_name(seat.owner, seat.bot) for seat in seats] == ["ada/mybot", "bob/mybot"]


def test_a_house_bot_that_comes_later_is_nobody_elses(sqlite_db: Database) -> None:
    ada = account(sqlite_db)
    upload(sqlite_db, ada, "coming")
    with sqlite_db.write() as c:
        house = int(c.scalar(sa.select(Bot.owner_id).where(Bot.name == "greedy").limit(1)) or 0)
        submissions._enter_house_bot(c, house, "reversi", "coming", "0" * 64)
    own = find_bots(sqlite_db, "reversi", ["ada/coming"])[0]
    assert find_bots(sqlite_db, "reversi", ["coming"]) != [own], "the plain name is the house bot"
    assert submissions.bot(sqlite_db, own, None).kind is Kind.PYTHON


def test_simultaneous_uploads_of_one_name(db: Database) -> None:
    people = [account(db, f"p{number}") for number in range(6)]
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda one: upload(db, one).id, people * 2))
    assert len(set(made)) == 6
    for number, bot in enumerate(made[:6]):
        assert find_bots(db, "reversi", [f"p{number}/mybot"]) == [bot]


def test_servers_of_the_release_before_go_on(db: Database) -> None:
    """They look a bot up by game and key alone, and expect one row at most."""
    ada, bob = account(db), account(db, "bob")
    mine, his = upload(db, ada).id, upload(db, bob).id
    with db.write() as c:
        row = c.execute(
            sa.select(Bot.id, Bot.owner_id).where(Bot.game == "reversi", Bot.name_key == "mybot")
        ).one_or_none()
        assert row is not None
        assert row.id == mine
        old = sa.insert(Bot).values(game="reversi", owner_id=bob.id, created_at=now())
        with pytest.raises(sa.exc.IntegrityError), c.begin_nested():
            c.execute(old.values(name="mybot", name_key="mybot"))
        new = c.execute(old.values(name="Old", name_key="old").returning(Bot.id)).scalar_one()
    assert find_bots(db, "reversi", ["bob/old", "bob/mybot"]) == [new, his]
    assert upload(db, bob, "OLD").id == new


def test_evolution_starts_when_somebody_else_owns_the_name(db: Database) -> None:
    ada = account(db)
    upload(db, ada, evolution.BOT_NAME, game="tanks", code=b"class Robot: pass\n")
    wanted = RunRequest("tanks", guides="house:Walls")
    assert evolution.start(db, wanted).run.owner == "evolve"
    hers = evolution.start(db, RunRequest("tanks", guides="house:Walls", owner="ada")).run
    assert [run.id for run in evolution.line_of(db, hers, 9)] == [hers.id]


def test_two_owners_breed_bots_of_one_name(db: Database) -> None:
    account(db)
    leagues.ensure_leagues(db, Settings())
    both = [RunRequest("tanks", owner=owner) for owner in ("evolve", "ada")]
    made = [schedules.schedule(db, one, cron="0 4 * * *").id for one in both]
    assert len(set(made)) == 2
    again = schedules.schedule(db, both[1], cron="0 5 * * *")
    assert again.id == made[1]
    with pytest.raises(Refusal, match="evolve/evolved, ada/evolved"):
        schedules.unschedule(db, "tanks")
    schedules.unschedule(db, "tanks", owner="ada")
    schedules.unschedule(db, "tanks")
    with db.read() as c:
        assert c.scalar(sa.select(sa.func.count()).select_from(EvolutionSchedule)) == 0


def test_guides_of_one_name_keep_their_own_files(db: Database, replays: ReplayStore) -> None:
    from ladder.evolution import breeding

    for name in ("ada", "bob"):
        code = f"# {name}\nclass Robot: pass\n".encode()
        accept(db, replays, upload(db, account(db, name), game="tanks", code=code))
    evolution.start(db, RunRequest("tanks", guides="ladder:50"))
    job = breeding.lease(db, "test", 60, 1)
    assert job is not None
    names = [guide.name for guide in job.guides]
    assert {"ada/mybot", "bob/mybot", "Walls"} <= set(names)
    assert len(set(names)) == len(names)
