"""Threads for handlers and memory for uploads: all requests share them, with limits on waiting."""

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
"""Handlers that run at once; more would only wait for the database."""

MOST_WAITING = 600
"""Requests that may wait for a thread. The pool refuses others at once, since they would wait for
minutes."""


class HandlerPool:
    """Runs handlers in threads, where they may block. Only the event loop uses it."""

    def __init__(self, threads: int = THREADS, most_waiting: int = MOST_WAITING) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="web")
        self._most = threads + most_waiting
        self._busy = 0

    async def run(self, function: Callable[..., Any], *args: Any) -> Any:
        if self._busy >= self._most:
            raise Unavailable("the server has too many requests at once; try again in a moment")
        self._busy += 1
        work = asyncio.get_running_loop().run_in_executor(self._pool, partial(function, *args))
        # The handler runs on when its reader hangs up, so it counts until it ends.
        work.add_done_callback(self._end)
        return await asyncio.shield(work)

    def _end(self, work: asyncio.Future[Any]) -> None:
        self._busy -= 1
        if not work.cancelled():
            work.exception()  # asyncio logs exceptions that nobody has retrieved

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class ByteBudget:
    """Bytes that the bodies of all uploads may fill together; later uploads wait in a queue."""

    def __init__(self, size: int, seconds: float) -> None:
        """An upload that has waited for `seconds` is refused."""
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
            if not place.cancelled():  # it was admitted at the moment of its timeout
                self._free += size
            self._admit_waiting()
            if isinstance(error, TimeoutError):
                raise Unavailable(
                    "the server has too many uploads at once; try again in a moment"
                ) from error
            raise

    def _admit_waiting(self) -> None:
        while self._queue and (self._queue[0][1].done() or self._queue[0][0] <= self._free):
            size, place = self._queue.popleft()
            if not place.done():
                self._free -= size
                place.set_result(None)
