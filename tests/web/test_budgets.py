"""The pool of threads and the budgets for uploads, with their limits on waiting."""

from __future__ import annotations

import asyncio
import threading

import pytest

from ladder.errors import Unavailable
from ladder.web.http.budgets import ByteBudget, HandlerPool


def test_a_crew_turns_away_what_it_could_not_do_for_long() -> None:
    go = threading.Event()

    async def story() -> None:
        crew = HandlerPool(threads=2, most_waiting=3)
        under_way = [asyncio.ensure_future(crew.run(go.wait, 10)) for _ in range(5)]
        await asyncio.sleep(0)
        with pytest.raises(Unavailable):
            await crew.run(print)
        under_way[0].cancel()  # a request that hangs up still occupies a thread
        await asyncio.sleep(0)
        with pytest.raises(Unavailable):
            await crew.run(print)
        go.set()
        assert await asyncio.gather(*under_way[1:]) == [True] * 4
        assert await crew.run(int, "7") == 7
        with pytest.raises(ValueError, match="invalid"):
            await crew.run(int, "x")
        crew.close()

    asyncio.run(story())


def test_room_is_given_in_turn() -> None:
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
        assert order == ["a"], "c would fit, but a large one must not wait for ever"
        leave["a"].set()
        await asyncio.sleep(0.01)
        assert order == ["a", "b", "c"]
        for event in leave.values():
            event.set()
        await asyncio.gather(*visits)
        async with budget.hold(999):  # more than there is counts as all of it
            pass

    asyncio.run(story())


def test_who_waits_too_long_is_turned_away_and_leaves_nothing_behind() -> None:
    async def story() -> None:
        budget = ByteBudget(10, seconds=0.02)
        async with budget.hold(10):
            with pytest.raises(Unavailable):
                async with budget.hold(1):
                    raise AssertionError("there is no room")
            gone = asyncio.create_task(budget.hold(10).__aenter__())
            await asyncio.sleep(0)
            gone.cancel()
            await asyncio.gather(gone, return_exceptions=True)
        async with budget.hold(10):
            pass

    asyncio.run(story())


def test_who_leaves_while_being_called_in_gives_the_room_back() -> None:
    async def story() -> None:
        budget = ByteBudget(10, seconds=5)
        first = budget.hold(10)
        await first.__aenter__()
        second = asyncio.create_task(budget.hold(10).__aenter__())
        await asyncio.sleep(0)
        await first.__aexit__(None, None, None)  # calls the second in
        second.cancel()  # before it has noticed
        await asyncio.gather(second, return_exceptions=True)
        async with asyncio.timeout(1), budget.hold(10):
            pass

    asyncio.run(story())
