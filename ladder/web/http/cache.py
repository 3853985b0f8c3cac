"""Responses that are kept for a moment, so that many readers cost one query."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class ResponseCache(Generic[T]):
    """At most `entries` values, each at most `seconds` old.

    The first caller of a key makes the value, and all others wait for it. A failure reaches every
    waiting caller and is not kept. Each value has a mark: the newest event that it contains. A
    reader who has heard of a later event asks for a value with at least that mark.
    """

    def __init__(self, seconds: float, entries: int) -> None:
        self._seconds = seconds
        self._entries = entries
        self._made: dict[Hashable, tuple[float, int, T]] = {}
        self._under_way: dict[Hashable, tuple[int, asyncio.Task[T]]] = {}

    def __len__(self) -> int:
        return len(self._made)

    async def get(
        self, key: Hashable, make: Callable[[], Awaitable[T]], mark: int = 0, least: int = 0
    ) -> T:
        """A value with a mark of at least `least`; a value that is made now gets `mark`."""
        made = self._made.get(key)
        if made is not None and time.monotonic() < made[0] and made[1] >= least:
            return made[2]
        under_way = self._under_way.get(key)
        if under_way is None or under_way[0] < least:
            task = asyncio.ensure_future(self._make(key, make, mark))
            under_way = self._under_way[key] = (mark, task)
            task.add_done_callback(lambda _: self._end(key, task))
        # Shielded: a reader who hangs up must not cancel the work for the others.
        return await asyncio.shield(under_way[1])

    def _end(self, key: Hashable, task: asyncio.Task[T]) -> None:
        if key in self._under_way and self._under_way[key][1] is task:
            del self._under_way[key]

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[T]], mark: int) -> T:
        until = time.monotonic() + self._seconds
        answer = await make()
        self._made.pop(key, None)
        while len(self._made) >= self._entries:
            del self._made[next(iter(self._made))]  # the oldest
        self._made[key] = (until, mark, answer)
        return answer
