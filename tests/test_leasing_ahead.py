"""The number of matches that a dispatcher leases: one per free worker, and more short ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

import pytest
import sqlalchemy as sa
from ladder_steps import report

from engines.games import GAMES
from ladder.matches import pairing
from ladder.matches.replays import ReplayStore
from ladder.models import Match, Rating, Result, Version
from ladder.server.dispatcher import MOST_AHEAD, Dispatcher, Pace
from ladder.settings import Settings
from ladder.store import Database
from ladder.values import Kind, MatchJob, MatchReport, MatchStatus, Purpose
from ladder.workers.arena import Capacity

SLOTS, QUEUED = 2, 90


class HeldArena:
    """Begins every match at once, and ends them on request."""

    def __init__(self) -> None:
        self.held: list[tuple[MatchJob, Future[MatchReport]]] = []

    def capacity(self) -> Capacity:
        return Capacity(SLOTS, tuple(Kind), tuple(game.name for game in GAMES), "A")

    def play(self, job: MatchJob) -> Future[MatchReport]:
        answer: Future[MatchReport] = Future()
        self.held.append((job, answer))
        return answer

    def let_end(self) -> None:
        while self.held:
            job, answer = self.held.pop()
            answer.set_result(report(job, (1, 0)))

    def close(self) -> None:
        pass


def _queue(db: Database) -> None:
    query = sa.select(Rating.version_id, Version.bot_id).join(
        Version, Version.id == Rating.version_id
    )
    with db.write() as c:
        seats = [(row[0], row[1]) for row in c.execute(query.where(Rating.game == "reversi"))]
        for _ in range(QUEUED // 2):
            pairing.queue_pairing(c, "reversi", seats[:2], Purpose.LADDER)


def _count(db: Database, status: MatchStatus) -> int:
    with db.read() as c:
        return c.scalar(sa.select(sa.func.count()).where(Match.status == status)) or 0


async def _until(condition: Callable[[], bool]) -> None:
    for _ in range(3000):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it did not happen")


@pytest.mark.parametrize(("pace", "taken"), [(1.5, SLOTS), (100.0, SLOTS + 50), (1e9, QUEUED)])
def test_leases_follow_the_pace_and_all_are_recorded(
    sqlite_db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pace: float, taken: int
) -> None:
    monkeypatch.setattr(Pace, "per_second", lambda self: pace)
    assert SLOTS + MOST_AHEAD > QUEUED
    _queue(sqlite_db)
    arena = HeldArena()

    async def story() -> None:
        settings = Settings(data=tmp_path)
        replays = ReplayStore(settings.replays)
        dispatcher = Dispatcher(sqlite_db, replays, arena, settings, pairing=False)
        work = asyncio.create_task(dispatcher.run())
        await _until(lambda: len(arena.held) >= taken)
        await asyncio.sleep(0.6)  # twice the time between its checks
        assert len(arena.held) == _count(sqlite_db, MatchStatus.LEASED) == taken
        assert dispatcher.status()["running"] == SLOTS
        while _count(sqlite_db, MatchStatus.FINISHED) < QUEUED:
            await _until(lambda: bool(arena.held) or not _count(sqlite_db, MatchStatus.LEASED))
            arena.let_end()
            await asyncio.sleep(0.01)
        dispatcher.stop()
        await work
        await dispatcher.drain(5)

    asyncio.run(story())
    with sqlite_db.read() as c:
        assert c.scalar(sa.select(sa.func.count()).select_from(Result)) == QUEUED


def test_a_pace_is_the_number_of_matches_per_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr("ladder.server.dispatcher.time.monotonic", lambda: clock[0])
    pace = Pace()
    assert pace.per_second() == 0
    for _ in range(1000):
        clock[0] += 0.01
        pace.note()
    assert pace.per_second() == pytest.approx(100, rel=0.02)
    clock[0] += 10
    assert pace.per_second() < 0.01
