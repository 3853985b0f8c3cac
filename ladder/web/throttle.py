"""How often one address may do something, counted in memory. Any thread may ask."""

from __future__ import annotations

import ipaddress
import math
import threading
import time
from collections import deque
from collections.abc import Callable

from ladder.errors import TooMany


class Throttle:
    """At most `allowed` events per address in `seconds`; remembers at most `addresses` of them."""

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
        """Count one event; raises `TooMany`. The answer takes the event back."""
        with self._lock:
            return self._take(address, what, self._clock())

    def _take(self, address: str, what: str, now: float) -> Callable[[], None]:
        household = _household(address)
        events = self._events.pop(household, None) or deque()
        self._events[household] = events  # the latest address moves to the end
        while len(self._events) > self._addresses:
            del self._events[next(iter(self._events))]
        while events and events[0] <= now - self._seconds:
            events.popleft()
        if len(events) >= self._allowed:
            wait = max(1, math.ceil(events[0] + self._seconds - now))
            raise TooMany(f"too many {what} from your address; try again in {wait} s", wait)
        events.append(now)

        def give_back() -> None:
            with self._lock:
                if now in events:
                    events.remove(now)

        return give_back


def _household(address: str) -> str:
    """One IPv6 subscriber has a whole /64; counting single addresses would stop nobody."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 6:
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return address
