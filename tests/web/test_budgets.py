"""The pool of threads and the budgets for uploads, with their limits on waiting."""

from __future__ import annotations

import asyncio
import threading

import pytest

from ladder.errors import Unavailable
from ladder.web.http.budgets import ByteBudget, HandlerPool


def test_a_full_pool_refuses_further_requests() -> None:
    go = threading.Event()

    async def story() -> None:
        pool = HandlerPool(threads=2, most_waiting=3)
        under_way = [asyncio.ensure_future(pool.run(go.wait, 10)) for _ in range(5)]
        await asyncio.sleep(0)
        with pytest.raises(Unavailable):
            await pool.run(print)
        under_way[0].cancel()  # a request that hangs up still occupies a thread
        await asyncio.sleep(0)
        with pytest.raises(Unavailable):
            await pool.run(print)
        go.set()
        assert await asyncio.gather(*under_way[1:]) == [True] * 4
        assert await pool.run(int, "7") == 7
        with pytest.raises(ValueError, match="invalid"):
            await pool.run(int, "x")
        pool.close()

    asyncio.run(story())


def test_bytes_are_granted_in_order() -> None:
    async def story() -> None:
        budget = ByteBudget(10, seconds=5)
        order: list[str] = []
        leave = {name: asyncio.Event() for name in "abc"}

        async def visit(name: str, size: int) -> None:
            async with budget.hold(size):
                order.append(name)
                await leave[name].wait()

        visits = [asyncio.create_task(visit(*who)) for who in (("a", 6), ("b", 8), ("c", 1))]
        await asyncio.sleep(0.01)
        assert order == ["a"], "c would fit, but would make b wait longer"
        leave["a"].set()
        await asyncio.sleep(0.01)
        assert order == ["a", "b", "c"]
        for event in leave.values():
            event.set()
        await asyncio.gather(*visits)
        async with budget.hold(999):  # a larger request holds the whole budget
            pass

    asyncio.run(story())


def test_a_request_that_waits_too_long_is_refused_and_leaves_nothing_behind() -> None:
    async def story() -> None:
        budget = ByteBudget(10, seconds=0.02)
        async with budget.hold(10):
            with pytest.raises(Unavailable):
                async with budget.hold(1):
                    raise AssertionError("the budget is spent")
            gone = asyncio.create_task(budget.hold(10).__aenter__())
            await asyncio.sleep(0)
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
        async with budget.hold(10):
            pass

    asyncio.run(story())


def test_a_request_cancelled_at_its_turn_returns_its_bytes() -> None:
    async def story() -> None:
        budget = ByteBudget(10, seconds=5)
        first = budget.hold(10)
        await first.__aenter__()
        second = asyncio.create_task(budget.hold(10).__aenter__())
        await asyncio.sleep(0)
        await first.__aexit__(None, None, None)  # it is the turn of the second
        second.cancel()  # before it runs again
        await asyncio.gather(second, return_exceptions=True)
        async with asyncio.timeout(1), budget.hold(10):
            pass

    asyncio.run(story())
