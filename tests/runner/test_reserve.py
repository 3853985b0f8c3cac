"""Cages that wait for bots: each is used once, and none outlives its worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder import runner
from ladder.runner import close_reserves, play_job
from ladder.runner.bot_process import BotProcess
from ladder.runner.sandbox import Cage, Reserve, Sandbox
from ladder.runner.sandbox.reserve import MOST_WAITING
from ladder.runner.sandbox.walls import WASMKIT
from ladder.values import Ending, Entrant, Kind, Limits, MatchJob
from prove.endurance import BOTS, look, piled_up, play_some
from tests.runner.conftest import descendants, processes
from tests.runner.test_sandbox import until

LIMITS = Limits()
REQUEST = b'{"type":"move","observation":{"legal":["a"]}}\n'


@pytest.fixture
def reserve(sandbox: Sandbox, bots: Path) -> Iterator[Reserve]:
    kept = Reserve(sandbox, bots)
    yield kept
    kept.close()


def play_in(cage: Cage, answer: str) -> None:
    cage.furnish({"bot.py": f"def agent(o, c): return {answer!r}".encode()})
    bot = BotProcess(cage, {"type": "hello"}, LIMITS)
    try:
        assert bot.load() is None
        assert bot.ask(REQUEST) == answer
    finally:
        bot.close()


def test_a_cage_is_ready_for_the_limits_of_earlier_bots(reserve: Reserve, bots: Path) -> None:
    reserve.fill()
    assert len(reserve) == 0  # there was no request yet
    play_in(reserve.launch(bots, LIMITS), "cold")
    reserve.fill()
    assert len(reserve) == 1
    warm = reserve.launch(bots, LIMITS)
    assert len(reserve) == 0
    play_in(warm, "warm")
    assert warm.closed  # and is never used again
    reserve.fill()
    another = reserve.launch(bots, LIMITS)
    assert another is not warm
    play_in(another, "again")


def test_a_bot_is_not_blamed_for_a_cage_that_died_waiting(reserve: Reserve, bots: Path) -> None:
    reserve.launch(bots, LIMITS).close()
    reserve.fill()
    ((_, waiting),) = reserve._waiting
    waiting._process.kill()
    waiting._process.wait()
    play_in(reserve.launch(bots, LIMITS), "fresh")
    assert waiting.closed


def test_other_limits_need_another_cage(reserve: Reserve, bots: Path) -> None:
    reserve.launch(bots, LIMITS).close()
    reserve.fill()
    for limits, guest in ((Limits(memory_mb=100), None), (LIMITS, WASMKIT)):
        cage = reserve.launch(bots, limits, *([guest] if guest else []))
        assert len(reserve) == 1
        cage.close()
    reserve.fill()
    # Only the cages of the last match wait.
    assert len(reserve) == 2


def test_the_number_of_waiting_cages_is_limited(reserve: Reserve, bots: Path) -> None:
    cages = [reserve.launch(bots, LIMITS) for _ in range(MOST_WAITING + 3)]
    for cage in cages:
        cage.close()
    reserve.fill()
    assert len(reserve) == MOST_WAITING


def test_a_cage_that_died_is_replaced(reserve: Reserve, bots: Path) -> None:
    reserve.launch(bots, LIMITS).close()
    reserve.fill()
    ((order, waiting),) = reserve._waiting
    waiting.kill()
    reserve._asked[order] = 1
    reserve.fill()
    assert waiting.closed
    play_in(reserve.launch(bots, LIMITS), "new")


def test_jobs_are_played_in_warm_cages(sandbox: Sandbox, data: Path) -> None:
    code = b"import os\ndef agent(o, c):\n    print(os.getpid())\n    return o['legal'][0]\n"
    entrants = (Entrant("a", Kind.PYTHON, "0" * 64, code), Entrant("random", Kind.HOUSE, ""))
    job = MatchJob(1, 1, "connect-four", 5, entrants)
    close_reserves()
    try:
        for _ in range(3):
            report = play_job(job, data, sandbox.tier)
            assert report.verdict.ending is Ending.COMPLETED, report.seats[0]
            assert len(runner._reserve(sandbox.tier, data / "bots")) == 1
    finally:
        close_reserves()


WORKER = """
import sys, time
from pathlib import Path
from ladder.runner.sandbox import Reserve
from ladder.runner.selftest import sandbox_of
from ladder.values import Limits
bots = Path(sys.argv[1])
reserve = Reserve(sandbox_of(sys.argv[2]), bots)
for cage in [reserve.launch(bots, Limits()) for _ in range(2)]: cage.close()
reserve.fill()
print(len(reserve), flush=True)
time.sleep(600)
"""


def test_waiting_cages_die_with_their_worker(sandbox: Sandbox, bots: Path) -> None:
    before = set(os.listdir(bots)) if bots.exists() else set()
    words = [sys.executable, "-c", WORKER, str(bots), sandbox.tier]
    worker = subprocess.Popen(words, stdout=subprocess.PIPE)
    try:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"2\n"
        time.sleep(0.3)
        below = descendants(worker.pid)
        assert len(below) >= 2
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        assert worker.stdout is not None
        worker.stdout.close()
    assert until(lambda: not below & processes().keys(), 5)
    # The next reserve sweeps their folders.
    Reserve(sandbox, bots)
    assert set(os.listdir(bots)) <= before


@pytest.mark.slow
def test_nothing_piles_up(sandbox: Sandbox, data: Path) -> None:
    """The same as `prove.endurance`, for a shorter time."""
    play_some(2 * len(BOTS), data, sandbox.tier)
    before = look(data)
    play_some(5 * len(BOTS), data, sandbox.tier)
    after = look(data)
    close_reserves()
    assert piled_up(before, after) == []
