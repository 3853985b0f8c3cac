"""Uploads of one account do not wait for those of another or for other slow matches."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from ladder_steps import BOT, OWNER, account, finish, lease, report, upload

from engines.games import GAMES, find_game
from ladder.errors import Overdue, TooMany
from ladder.matches import leasing, pairing
from ladder.matches.leasing import FreeSlots
from ladder.matches.replays import ReplayStore
from ladder.models import Failure, Match
from ladder.server.dispatcher import Dispatcher
from ladder.settings import Settings
from ladder.store import Database, queue, ratings
from ladder.store.database import now
from ladder.uploads import submissions
from ladder.uploads.submissions import Upload
from ladder.values import (
    Allowance,
    Fault,
    Kind,
    MatchJob,
    MatchReport,
    MatchStatus,
    Purpose,
)
from ladder.views import AccountView
from ladder.workers.arena import RESERVED_SLOTS, Capacity

SLOTS = 2
NAMES = tuple(game.name for game in GAMES)


class SlowArena:
    """Begins as many matches as it has slots, and ends them on request."""

    def __init__(self) -> None:
        self.playing: list[tuple[MatchJob, Future[MatchReport]]] = []

    def capacity(self) -> Capacity:
        return Capacity(SLOTS, tuple(Kind), NAMES, "A", RESERVED_SLOTS)

    def play(self, job: MatchJob) -> Future[MatchReport]:
        answer: Future[MatchReport] = Future()
        self.playing.append((job, answer))
        for reserved, slots in ((False, SLOTS), (True, RESERVED_SLOTS)):
            assert sum(job.reserved is reserved for job, _ in self.playing) <= slots
        return answer

    def end(self, of: int | None) -> None:
        """End the matches that are played for an account."""
        ending = [one for one in self.playing if one[0].account_id == of]
        self.playing = [one for one in self.playing if one[0].account_id != of]
        for job, answer in ending:
            answer.set_result(report(job, (1, 0)))

    def accounts(self) -> Counter[int | None]:
        return Counter(job.account_id for job, _ in self.playing)

    def close(self) -> None:
        pass


def _seats(db: Database, game: str = "reversi") -> list[tuple[int, int]]:
    with db.read() as c:
        house = ratings.validators(c, game, Kind.HOUSE)
    return [(row.id, row.bot_id) for row in house[:2]]


def _fill_ladder(db: Database, pairings: int) -> None:
    with db.write() as c:
        for _ in range(pairings):
            pairing.queue_pairing(c, "reversi", _seats(db), Purpose.LADDER)


def _room(reserved: int = RESERVED_SLOTS, idle: int = 0, **held: Counter[int | None]) -> FreeSlots:
    nothing: Counter[int | None] = Counter()
    return FreeSlots(
        others=idle,
        idle=idle,
        share=1,
        reserved=reserved,
        held=held.get("held", nothing),
        held_reserved=held.get("held_reserved", nothing),
    )


def _lease(db: Database, room: FreeSlots) -> list[MatchJob]:
    return leasing.fill_slots(db, OWNER, 60, room, leasing.Playable(tuple(Kind), NAMES))


def _uploads(db: Database, owner: AccountView, count: int) -> None:
    for number in range(count):
        upload(db, owner, f"{owner.name} {number}", BOT + b"# %d" % number)


def test_an_upload_begins_while_everything_else_is_slow(
    sqlite_db: Database, tmp_path: Path
) -> None:
    db, arena = sqlite_db, SlowArena()
    slow, other = account(db, "slow"), account(db, "other")
    _fill_ladder(db, 5)

    async def until_plays(owner: int | None, count: int) -> None:
        for _ in range(300):
            if arena.accounts()[owner] >= count:
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"{arena.accounts()} play; {count} of {owner} should")

    async def story() -> None:
        settings = Settings(data=tmp_path)
        replays = ReplayStore(settings.replays)
        dispatcher = Dispatcher(db, replays, arena, settings, pairing=False)
        work = asyncio.create_task(dispatcher.run())
        await until_plays(None, SLOTS)
        _uploads(db, slow, 10)
        await until_plays(slow.id, 1)
        await asyncio.sleep(0.6)  # twice the time between its checks
        assert arena.accounts()[slow.id] == 1, "an account has one of the reserved slots"
        _uploads(db, other, 1)
        await until_plays(other.id, 1)
        arena.end(None)  # frees workers, of which each account gets one
        await until_plays(slow.id, 2)
        await until_plays(None, 1)
        dispatcher.stop()
        await work
        await dispatcher.drain(0)

    asyncio.run(story())


def test_accounts_take_turns(db: Database) -> None:
    first, second, third = (account(db, name) for name in ("first", "second", "third"))
    _uploads(db, first, 3)
    _uploads(db, second, 2)
    served = [job.account_id for job in _lease(db, _room())]
    assert served == [first.id, second.id], "one match of each account at a time"
    _uploads(db, third, 1)
    order = [_lease(db, _room(reserved=1))[0].account_id for _ in range(4)]
    assert order == [first.id, second.id, third.id, first.id]
    assert not _lease(db, _room())


def test_an_account_that_has_its_share_is_passed_over(db: Database) -> None:
    first, second = account(db, "first"), account(db, "second")
    _uploads(db, first, 3)
    _uploads(db, second, 1)
    busy: Counter[int | None] = Counter({first.id: 1})
    (job,) = _lease(db, _room(held_reserved=busy))
    assert (job.account_id, job.reserved) == (second.id, True)
    (job,) = _lease(db, _room(reserved=0, idle=1))
    assert (job.account_id, job.reserved) == (first.id, False)
    assert not _lease(db, _room(reserved=0, idle=1, held=busy))


def test_house_bots_take_no_reserved_slot(db: Database) -> None:
    with db.write() as c:
        pairing.queue_pairing(c, "reversi", _seats(db), Purpose.PLACEMENT)
    assert not _lease(db, _room())
    assert len(_lease(db, _room(idle=5))) == 2


def test_uploads_that_wait_are_bounded(db: Database) -> None:
    owner, other = account(db), account(db, "other")
    allowance = Allowance(uploads_waiting=3)

    def submit(who: AccountView, number: int) -> None:
        code = BOT + b"# %d" % number
        submissions.submit(db, who, Upload("reversi", f"{who.name} {number}", code), allowance)

    for number in range(3):
        submit(owner, number)
    with pytest.raises(
        TooMany, match=r"3 uploads of yours wait .* upload this one again"
    ) as refused:
        submit(owner, 3)
    assert refused.value.retry_after > 0
    submit(other, 0)
    lease(db)
    submit(owner, 3)


def test_a_newcomer_is_paired_though_the_queue_is_full_of_others(
    db: Database, replays: ReplayStore
) -> None:
    game, enough = find_game("reversi"), 2
    slow, other = account(db, "slow"), account(db, "other")
    for owner in (slow, other):
        for number in range(3 if owner is slow else 1):
            upload(db, owner, f"{owner.name} {number}", BOT + b"# %d" % number)
            (job,) = lease(db)
            assert finish(db, replays, job, (0, 1))
        if owner is slow:
            with db.write() as c:  # as many placements as fill its queue
                for _ in range(enough):
                    pairing.queue_pairing(c, "reversi", _seats(db), Purpose.PLACEMENT, slow.id)
    assert pairing.short_queues(db, [game], enough) == {"reversi": 1}
    assert pairing.pair(db, game, random.Random(1))
    (job,) = _lease(db, _room(reserved=1, held_reserved=Counter({slow.id: 1})))
    assert job.account_id == other.id
    assert job.purpose is Purpose.PLACEMENT
    kinds = sorted(entrant.kind for entrant in job.entrants)
    assert kinds == [Kind.HOUSE, Kind.PYTHON], "the opponent of the first rating is a house bot"
    assert not pairing.short_queues(db, [game], enough)


def test_a_match_that_never_ends_is_parked_soon(db: Database) -> None:
    upload(db, account(db))
    trouble = Overdue("the match lasted longer than it may")
    for attempt in range(1, leasing.MOST_FAILURES[Fault.REFEREE] + 1):
        (job,) = lease(db)
        assert job.attempt == attempt
        leasing.give_up(db, OWNER, job, str(trouble), Fault.REFEREE)
    assert not lease(db)
    with db.read() as c:
        assert set(c.scalars(sa.select(Failure.fault))) == {Fault.REFEREE}
        parked = sa.select(Match.trouble).where(Match.status == MatchStatus.PARKED)
        assert c.scalar(parked) == "the match lasted longer than it may"


def test_the_queue_of_newcomers_is_read_by_its_indexes(sqlite_db: Database) -> None:
    """They contain waiting matches only, so their size does not depend on played matches."""
    owner = account(sqlite_db)
    asked: list[tuple[str, Any]] = []

    def note(connection: Any, cursor: Any, statement: str, parameters: Any, *rest: Any) -> None:
        if statement.startswith("SELECT"):
            asked.append((statement, parameters))

    with sqlite_db.write() as c:
        sa.event.listen(c, "before_cursor_execute", note)
        nothing: Counter[int | None] = Counter()
        wanted = queue.Lease(OWNER, now(), tuple(Kind), NAMES)
        queue.lease_newcomers(c, wanted, 1, held=nothing, share=1, house=False)
        queue._next_turn(c, Purpose.VALIDATION, owner.id)
        queue.count_uploads_waiting(c, owner.id)
        sa.event.remove(c, "before_cursor_execute", note)
        plans = [
            " ".join(row[3] for row in c.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values))
            for text, values in asked
        ]
    indexes = ["turn", "account", "turn", "account"]
    for plan, index in zip(plans, indexes, strict=True):
        assert f"ix_matches_newcomers_{index}" in plan
        assert "TEMP B-TREE" not in plan
