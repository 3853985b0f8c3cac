"""Events reach every process, on both kinds of database, in the order of the commits."""

from __future__ import annotations

import queue
import threading
from contextlib import suppress

import pytest

from ladder.events import news
from ladder.events.feed import Feed, StoredEvent
from ladder.store import Database, events
from ladder.values import EvolutionStatus


def tell(db: Database, run_id: int) -> None:
    with db.write() as c:
        news.run_moved(c, run_id, EvolutionStatus.RUNNING)


def test_commits_of_others_are_delivered_once_in_order(empty_db: Database) -> None:
    tell(empty_db, 1)
    got: queue.Queue[StoredEvent] = queue.Queue()
    feed = Feed(empty_db, lambda found: [got.put(event) for event in found] and None)
    before = feed.start()
    assert [event.topics for event in before] == [("evolution", "evolution:1")]
    other = Database(empty_db.url.render_as_string(hide_password=False))
    try:
        with suppress(RuntimeError), other.write() as c:
            news.run_moved(c, 2, EvolutionStatus.RUNNING)
            raise RuntimeError("it never happened")
        writers = [
            threading.Thread(target=lambda n=n: [tell(other, n) for _ in range(20)])
            for n in (3, 4, 5)
        ]
        for writer in writers:
            writer.start()
        found = [got.get(timeout=30) for _ in range(60)]
        for writer in writers:
            writer.join()
    finally:
        feed.stop()
        other.close()
    assert got.empty()
    numbers = [event.id for event in found]
    assert numbers == sorted(set(numbers))
    assert numbers[0] > before[0].id
    for n in (3, 4, 5):
        assert sum(event.topics == ("evolution", f"evolution:{n}") for event in found) == 20


def test_old_events_are_forgotten(empty_db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "KEPT", 50)
    for _ in range(6):
        with empty_db.write() as c:
            for n in range(100):
                news.run_moved(c, n, EvolutionStatus.RUNNING)
    with empty_db.read() as c:
        newest = events.newest(c)
        kept = events.since(c, 0, 10_000)
    assert newest >= 600
    assert 50 <= len(kept) < 400
    assert kept[-1][0] == newest
