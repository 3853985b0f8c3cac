"""Answers that are kept for a moment, so that a crowd of readers costs one query."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class FreshCache(Generic[T]):
    """At most `entries` answers, each `seconds` old at most.

    The first caller of a key makes the answer, all others wait for it. A failure is told to
    everyone who waits and is not kept.
    """

    def __init__(self, seconds: float, entries: int) -> None:
        self._seconds = seconds
        self._entries = entries
        self._made: dict[Hashable, tuple[float, T]] = {}
        self._under_way: dict[Hashable, asyncio.Task[T]] = {}

    def __len__(self) -> int:
        return len(self._made)

    async def get(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        made = self._made.get(key)
        if made is not None and time.monotonic() < made[0]:
            return made[1]
        task = self._under_way.get(key)
        if task is None:
            task = asyncio.ensure_future(self._make(key, make))
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key, None))
        # Shielded: a reader who hangs up must not take the answer away from the others.
        return await asyncio.shield(task)

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
        until = time.monotonic() + self._seconds
        answer = await make()
        self._made.pop(key, None)
        while len(self._made) >= self._entries:
            del self._made[next(iter(self._made))]  # the oldest
        self._made[key] = (until, answer)
        return answer
