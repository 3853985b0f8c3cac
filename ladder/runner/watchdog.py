"""A thread that looks at the bots which are at work, many times a second, until they have replied.

The referee waits for a reply in a plain blocking read, which is the fastest way to wait. This
thread does the slow work: it compares clocks with limits and ends bots that pass one, which also
ends the read, and it empties their stderr, because a full pipe would block them.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol

TICK_S = 0.01
"""Seconds between two looks, and so the delay with which a limit is noticed."""


class Watched(Protocol):
    def look(self, now_s: float) -> None:
        """Called repeatedly from the watchdog's thread."""
        ...


class Watchdog:
    """One thread for all bots of a process. It runs while there are any."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._watched: list[Watched] = []
        self._thread: threading.Thread | None = None

    def add(self, one: Watched) -> None:
        with self._changed:
            self._watched.append(one)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
                self._thread.start()
            self._changed.notify()

    def remove(self, one: Watched) -> None:
        """After this returns, the watchdog does not look at it again."""
        with self._changed:
            if one in self._watched:
                self._watched.remove(one)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._watched:
                    self._changed.wait()
                now_s = time.monotonic()
                for one in self._watched:
                    one.look(now_s)
            time.sleep(TICK_S)


watchdog = Watchdog()
