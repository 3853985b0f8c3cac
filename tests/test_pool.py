from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import descendants, still_alive, wait_until

from ladder.errors import Overdue, RunnerFailure
from ladder.workers.pool import MOST_IN_BATCH, WorkerPool


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    pool = WorkerPool(2, task_seconds=60)
    yield pool
    pool.shutdown(cancel_futures=True)


def test_it_is_an_executor(pool: WorkerPool) -> None:
    assert list(pool.map(abs, range(-5, 0))) == [5, 4, 3, 2, 1]


def test_an_error_of_a_task_is_our_failure(pool: WorkerPool) -> None:
    with pytest.raises(RunnerFailure, match="ValueError: invalid literal"):
        pool.submit(int, "x").result()
    assert pool.submit(int, "7").result() == 7


def test_a_killed_worker_fails_its_own_task_alone(pool: WorkerPool) -> None:
    doomed = pool.submit(time.sleep, 30)
    wait_until(doomed.running, 60, "starting the task")
    assert pool.submit(abs, -1).result(timeout=30) == 1, "the other worker is free"
    workers = {one for one in descendants(os.getpid()) if one[0] in pool.process_ids}
    for pid, _ in workers:
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(RunnerFailure, match="died"):
        doomed.result(timeout=30)
    wait_until(lambda: not still_alive(workers), 60, "the end of the workers")
    assert {pool.submit(abs, -2).result(timeout=30) for _ in range(4)} == {2}


def test_a_quick_task_that_kills_its_worker_fails_alone() -> None:
    pool = WorkerPool(1, task_seconds=60)
    for number in range(MOST_IN_BATCH):  # so that the pool knows that tasks are quick
        assert pool.submit(abs, -number).result(timeout=30) == number
    futures = [pool.submit(os._exit if n == 7 else abs, n) for n in range(3 * MOST_IN_BATCH)]
    with pytest.raises(RunnerFailure, match="died"):
        futures.pop(7).result(timeout=30)
    done = [future.result(timeout=30) for future in futures]
    assert done == [n for n in range(3 * MOST_IN_BATCH) if n != 7]
    pool.shutdown()


def test_no_worker_takes_the_share_of_another(pool: WorkerPool, tmp_path: Path) -> None:
    assert list(pool.map(abs, range(20 * MOST_IN_BATCH)))[-1] == 20 * MOST_IN_BATCH - 1
    busy = [pool.submit(time.sleep, 0.2) for _ in range(2)]
    names = [str(tmp_path / name) for name in "ab"]
    met = [pool.submit(_meet, mine, other) for mine, other in (names, names[::-1])]
    assert [future.result(timeout=30) for future in (*busy, *met)] == [None, None, True, True]


def _meet(mine: str, other: str) -> bool:
    """Whether the task of the other file runs at the same time."""
    Path(mine).touch()
    return any(Path(other).exists() or time.sleep(0.05) for _ in range(200))


def test_large_tasks_and_large_answers_do_not_wait_for_each_other() -> None:
    pool = WorkerPool(1, task_seconds=60)
    for _ in range(MOST_IN_BATCH):
        pool.submit(abs, 1).result(timeout=30)
    futures = [pool.submit(bytes.upper, b"a" * 1_000_000) for _ in range(2 * MOST_IN_BATCH)]
    pool.shutdown()
    assert {future.result(timeout=0)[:1] for future in futures} == {b"A"}


def test_a_hanging_worker_is_stopped() -> None:
    pool = WorkerPool(1, task_seconds=2)
    with pytest.raises(Overdue, match="longer than the 2 s that its limits allow"):
        pool.submit(time.sleep, 60).result(timeout=30)
    with pytest.raises(Overdue, match="longer than the 1 s that its limits allow"):
        pool.submit_within(1, time.sleep, 60).result(timeout=30)
    assert pool.submit(abs, -1).result(timeout=30) == 1
    pool.shutdown(cancel_futures=True)


def test_shutting_down_leaves_no_process(pool: WorkerPool) -> None:
    sleeping = [pool.submit(time.sleep, 60) for _ in range(2)]
    wait_until(lambda: len(pool.process_ids) == 2, 60, "starting the workers")
    below = {one for one in descendants(os.getpid()) if one[0] in pool.process_ids}
    pool.shutdown(cancel_futures=True)
    assert not still_alive(below)
    for future in sleeping:
        with pytest.raises(RunnerFailure):
            future.result(timeout=1)
    with pytest.raises(RuntimeError, match="shut down"):
        pool.submit(abs, 1)


def test_referee_and_bots_share_a_core(pool: WorkerPool) -> None:
    assert len(pool.submit(os.sched_getaffinity, 0).result()) == 1


def test_ctrl_c_does_not_reach_a_worker_that_is_starting(pool: WorkerPool) -> None:
    answer = pool.submit(os.getpid)
    while not answer.done():  # from its first instruction on
        for worker in pool.process_ids:
            os.kill(worker, signal.SIGINT)
    assert answer.result() in pool.process_ids
