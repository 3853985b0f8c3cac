"""The newest logs of each bot and of each account are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from ladder_steps import account, finish, lease, upload

from ladder.matches import results
from ladder.matches.replays import ReplayStore
from ladder.models import Bot, SeatLog
from ladder.store import Database, seat_logs
from ladder.values import LogQuota


def logged(db: Database) -> dict[str, list[int]]:
    """The matches with kept logs, by bot."""
    query = sa.select(Bot.name, SeatLog.match_id).join(Bot, Bot.id == SeatLog.bot_id)
    found: dict[str, list[int]] = {}
    with db.read() as c:
        for name, match_id in c.execute(query.order_by(SeatLog.match_id)):
            found.setdefault(name, []).append(match_id)
    return found


def crash(db: Database, replays: ReplayStore, owner: Any, name: str) -> int:
    """Upload a bot that leaves a log in its validation match; returns the id of that match."""
    upload(db, owner, name)
    (job,) = lease(db, 1)
    assert finish(db, replays, job, (0, 1), [0], "it crashed")
    return job.match_id


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    known = results.finish

    def with_quota(*given: Any) -> set[int]:
        return known(*given, LogQuota(per_bot=2, per_account=3))

    monkeypatch.setattr(results, "finish", with_quota)


@pytest.mark.usefixtures("small")
def test_the_oldest_logs_go_first(db: Database, replays: ReplayStore) -> None:
    ada, eve = account(db), account(db, "eve")
    first = [crash(db, replays, ada, "one") for _ in range(3)]
    assert logged(db) == {"one": first[1:]}, "at most two logs of a bot"
    second = [crash(db, replays, ada, "two") for _ in range(2)]
    assert logged(db) == {"one": first[2:], "two": second}, "at most three logs of an account"
    others = crash(db, replays, eve, "hers")
    third = crash(db, replays, ada, "three")
    assert logged(db) == {"two": second, "three": [third], "hers": [others]}


@pytest.mark.usefixtures("small")
def test_logs_of_earlier_releases_are_removed_in_batches(
    db: Database, replays: ReplayStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = account(db)
    last = crash(db, replays, ada, "one")
    with db.write() as c:
        mine = c.execute(sa.select(SeatLog.bot_id, SeatLog.account_id)).one()
        for seat in range(1, 21):  # twenty more logs of the same bot
            row = sa.insert(SeatLog).values(
                match_id=last, seat=seat, complaint="", stderr="", **mine._mapping
            )
            c.execute(row)
    monkeypatch.setattr(seat_logs, "BATCH", 10)
    newest = [crash(db, replays, ada, "one") for _ in range(3)]
    assert logged(db) == {"one": newest[1:]}


def steps(db: Database, work: Callable[[Any], None]) -> int:
    """The number of SQLite's virtual instructions of some work, which is always the same."""
    count = 0

    def tick() -> int:
        nonlocal count
        count += 1
        return 0

    with db.write() as c:
        raw: Any = c.connection.dbapi_connection
        raw.set_progress_handler(tick, 10)
        work(c)
        raw.set_progress_handler(None, 10)
    return count


def test_trimming_costs_the_same_for_any_history(sqlite_db: Database, replays: ReplayStore) -> None:
    match_id = crash(sqlite_db, replays, account(sqlite_db), "one")

    def fill(c: Any, first: int, count: int) -> None:
        rows = [
            {
                "match_id": match_id,
                "seat": first + number,
                "complaint": "x",
                "stderr": "y",
                "bot_id": 1000 + number % 50,
                "account_id": 100 + number % 20,
            }
            for number in range(count)
        ]
        c.execute(sa.insert(SeatLog), rows)

    def trim(c: Any) -> None:
        seat_logs._trim(c, SeatLog.bot_id == 5, 20)
        seat_logs._trim(c, SeatLog.account_id == 7, 20)

    with sqlite_db.write() as c:
        c.execute(
            sa.insert(SeatLog),
            [
                {
                    "match_id": match_id,
                    "seat": 10 + number,
                    "complaint": "x",
                    "stderr": "y",
                    "bot_id": 5,
                    "account_id": 7,
                }
                for number in range(20)
            ],
        )
        fill(c, 100, 100)
    few = steps(sqlite_db, trim)
    with sqlite_db.write() as c:
        fill(c, 1_000, 20_000)
    assert steps(sqlite_db, trim) <= few + 5
