"""Threads for handlers and room for bodies: what a crowd shares, and the end of its patience."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from ladder.errors import Unavailable

THREADS = 8
"""Use cases that run at once; more would only wait for the database."""

MOST_WAITING = 600
"""Requests that may wait for a thread; more are turned away rather than kept for minutes."""


class HandlerPool:
    """Runs handlers where they may block. Used on the event loop alone."""

    def __init__(self, threads: int = THREADS, most_waiting: int = MOST_WAITING) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="web")
        self._most = threads + most_waiting
        self._busy = 0

    async def run(self, function: Callable[..., Any], *args: Any) -> Any:
        if self._busy >= self._most:
            raise Unavailable("too many people ask at once; try again in a moment")
        self._busy += 1
        work = asyncio.get_running_loop().run_in_executor(self._pool, partial(function, *args))
        # It goes on when the reader hangs up, and so must be counted until it ends.
        work.add_done_callback(self._end)
        return await asyncio.shield(work)

    def _end(self, work: asyncio.Future[Any]) -> None:
        self._busy -= 1
        if not work.cancelled():
            work.exception()  # seen, also when nobody waits for it any more

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class ByteBudget:
    """Bytes that the bodies of uploads may fill together; later ones wait their turn."""

    def __init__(self, size: int, seconds: float) -> None:
        """`patience`: seconds after which who waits is turned away."""
        self._size = self._free = size
        self._seconds = seconds
        self._queue: deque[tuple[int, asyncio.Future[None]]] = deque()

    @asynccontextmanager
    async def hold(self, size: int) -> AsyncIterator[None]:
        size = min(size, self._size)
        await self._take(size)
        try:
            yield
        finally:
            self._free += size
            self._admit_waiting()

    async def _take(self, size: int) -> None:
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((size, place))
        self._admit_waiting()
        try:
            async with asyncio.timeout(self._seconds):
                await place
        except BaseException as error:
            if not place.cancelled():  # called in at the very moment of giving up
                self._free += size
            self._admit_waiting()
            if isinstance(error, TimeoutError):
                raise Unavailable("too many uploads at once; try again in a moment") from error
            raise

    def _admit_waiting(self) -> None:
        while self._queue and (self._queue[0][1].done() or self._queue[0][0] <= self._free):
            size, place = self._queue.popleft()
            if not place.done():
                self._free -= size
                place.set_result(None)
