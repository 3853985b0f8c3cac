"""A thread that looks at the bots which are at work, many times a second, until they have replied.

The referee waits for a reply in a plain blocking read, which is the fastest way to wait. Whatever
takes time is left to this thread: it compares clocks with limits and ends bots that pass one, which
also ends the read, and it empties their stderr, which they would block on when it is full.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol

TICK_S = 0.01
"""How often bots are looked at, and so how late a limit may be noticed."""


class Watched(Protocol):
    def look(self, now_s: float) -> None:
        """Called again and again from the watchdog's thread."""
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
        """Once this returns, it is not being looked at and will not be again."""
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
