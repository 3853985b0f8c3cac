"""Rate limits by address or account, counted in memory. Any thread may use them."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable

from ladder.addresses import household
from ladder.errors import TooMany


class Throttle:
    """At most `allowed` events per address in `seconds`; it remembers at most `addresses`.

    An exact sliding window, for rare expensive events.
    """

    def __init__(
        self,
        allowed: int,
        seconds: float,
        *,
        addresses: int = 10_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._allowed = allowed
        self._seconds = seconds
        self._addresses = addresses
        self._clock = clock
        self._events: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def take(self, address: str, what: str) -> Callable[[], None]:
        """Count one event; raises `TooMany`. The function that it returns takes the event back."""
        with self._lock:
            return self._take(address, what, self._clock())

    def _take(self, address: str, what: str, now: float) -> Callable[[], None]:
        place = household(address)
        events = self._events.pop(place, None) or deque()
        self._events[place] = events  # the latest address moves to the end
        while len(self._events) > self._addresses:
            del self._events[next(iter(self._events))]
        while events and events[0] <= now - self._seconds:
            events.popleft()
        if len(events) >= self._allowed:
            wait = max(1, math.ceil(events[0] + self._seconds - now))
            raise TooMany(f"too many {what}; try again in {wait} s", wait)
        events.append(now)

        def give_back() -> None:
            with self._lock:
                if now in events:
                    events.remove(now)

        return give_back


class Meter:
    """At most `allowed` events per place in a window of `seconds`: cheap, for frequent events."""

    def __init__(
        self,
        allowed: int,
        seconds: float,
        *,
        places: int = 100_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._allowed = allowed
        self._seconds = seconds
        self._places = places
        self._clock = clock
        self._ends = clock() + seconds
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def count(self, place: str, what: str) -> None:
        """Count one event; raises `TooMany`."""
        with self._lock:
            now = self._clock()
            if now >= self._ends:
                self._counts.clear()
                self._ends = now + self._seconds
            if place not in self._counts and len(self._counts) >= self._places:
                place = "all others"  # a flood from everywhere must not fill our memory
            self._counts[place] += 1
            if self._counts[place] > self._allowed:
                wait = max(1, math.ceil(self._ends - now))
                raise TooMany(f"too many {what}; try again in {wait} s", wait)
