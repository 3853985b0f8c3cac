"""Reads events from the database as any process commits them, for one server."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ladder.host.failures import log_failure
from ladder.store import Database, events
from ladder.store.watch import watch

log = logging.getLogger(__name__)

READ_AT_ONCE = 500
RETRY_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class StoredEvent:
    id: int
    topics: tuple[str, ...]
    data: str
    """JSON, on one line."""


class Feed:
    """A thread that delivers every event once, in the order of their numbers."""

    def __init__(self, db: Database, deliver: Callable[[Sequence[StoredEvent]], None]) -> None:
        """`deliver` is called in the thread of the feed."""
        self._db = db
        self._deliver = deliver
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="feed", daemon=True)
        self._last = 0

    def start(self) -> list[StoredEvent]:
        """Start the thread; return the stored events so far."""
        with self._db.read() as c:
            newest = events.newest(c)
            found = _read(events.since(c, newest - events.KEPT, events.KEPT))
        self._last = newest
        self._thread.start()
        return found

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._follow()
            except Exception as error:
                log_failure(log, "live pages wait for the database", error)
                self._stopping.wait(RETRY_SECONDS)

    def _follow(self) -> None:
        watching = watch(self._db)
        try:
            self._catch_up()  # with events from before we watched
            while not self._stopping.is_set():
                if watching.wait():
                    self._catch_up()
        finally:
            watching.close()

    def _catch_up(self) -> None:
        while True:
            with self._db.read() as c:
                found = _read(events.since(c, self._last, READ_AT_ONCE))
            if not found:
                return
            self._last = found[-1].id
            self._deliver(found)


def _read(rows: Sequence[tuple[int, str, str]]) -> list[StoredEvent]:
    return [StoredEvent(number, tuple(topics.split()), data) for number, topics, data in rows]
