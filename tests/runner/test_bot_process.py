"""One bot, asked directly: clocks, stopping, and output without a request."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ladder.errors import RunnerFailure
from ladder.runner.bot_process import _LONGEST_TICK_S, BotFault, BotProcess, one_line
from ladder.runner.package import read_package
from ladder.runner.sandbox import Sandbox
from ladder.runner.watchdog import watchdog
from ladder.values import Ending, Limits
from tests.runner.conftest import has_threads

REQUEST = b'{"type":"move","observation":{"legal":["a"]}}\n'
LIMITS = Limits(move_ms=500, match_ms=2000)


@contextmanager
def running(
    source: str, sandbox: Sandbox, bots: Path, limits: Limits = LIMITS
) -> Iterator[BotProcess]:
    cage = sandbox.launch(bots, limits)
    cage.furnish(read_package(source.encode()))
    bot = BotProcess(cage, {"type": "hello", "seed": 7}, limits)
    try:
        assert bot.load() is None
        yield bot
    finally:
        bot.close()


def cpu_s(bot: BotProcess) -> float:
    return time.clock_gettime((~bot.pid << 3) | 2)


def test_a_conversation(sandbox: Sandbox, bots: Path) -> None:
    source = "def agent(o, c):\n    return [o, c['seed']]\n"
    with running(source, sandbox, bots) as bot:
        for _ in range(3):
            assert bot.ask(REQUEST, text=False) == [{"legal": ["a"]}, 7]
        assert bot.usage.moves == 3
        assert 0 < bot.usage.slowest_ns <= bot.usage.cpu_ns
        assert bot.clock_ms <= LIMITS.match_ms


def test_thinking_is_charged_and_waiting_is_not(sandbox: Sandbox, bots: Path) -> None:
    source = """
import time
def agent(o, c):
    time.sleep(0.3)
    until = time.process_time() + 0.1
    while time.process_time() < until: pass
    return "a"
"""
    with running(source, sandbox, bots) as bot:
        assert bot.ask(REQUEST) == "a"
        assert 0.1 <= bot.usage.cpu_ns / 1e9 < 0.25


def naps(seconds: float) -> str:
    return f"""
import time
def agent(o, c):
    time.sleep({seconds})
    return "a"
"""


NO_WALL = Limits(move_ms=500, match_ms=2000, wall_factor=0.0)
"""A move may wait for a second, and a match for three."""


def test_a_bot_that_naps_uses_up_its_idle_time(sandbox: Sandbox, bots: Path) -> None:
    with running(naps(0.8), sandbox, bots, NO_WALL) as bot:
        for _ in range(3):
            assert bot.ask(REQUEST) == "a"
            assert 0.5 < bot.usage.last_idle_ns / 1e9 < 2
        fault = bot.ask(REQUEST)
        assert isinstance(fault, BotFault)
        assert fault.ending is Ending.MATCH_TIMEOUT
        assert "waited for more than 3 s instead of working" in fault.complaint
        assert bot.usage.cpu_ns < 1e9


def test_short_naps_add_up(sandbox: Sandbox, bots: Path) -> None:
    """Naps that are shorter than the ticks of the watchdog."""
    with running(naps(0.004), sandbox, bots, NO_WALL) as bot:
        answers = [bot.ask(REQUEST) for _ in range(100)]
        assert answers == ["a"] * 100
        assert bot.usage.idle_ns > 0.3e9
        bot.usage.idle_ns = NO_WALL.idle_ms * 1_000_000
        for _ in range(100):
            if isinstance(answer := bot.ask(REQUEST), BotFault):
                break
        assert isinstance(answer, BotFault)
        assert answer.ending is Ending.MATCH_TIMEOUT


def test_loading_counts_as_well(sandbox: Sandbox, bots: Path) -> None:
    source = "import time\ntime.sleep(0.5)\ndef agent(o, c):\n    return 'a'\n"
    with running(source, sandbox, bots) as bot:
        assert bot.usage.idle_ns > 0.3e9
    cage = sandbox.launch(bots, NO_WALL)
    cage.furnish(read_package(source.replace("0.5", "3600").encode()))
    bot = BotProcess(cage, {"type": "hello"}, Limits(match_ms=0, move_ms=0, wall_factor=1.0))
    try:
        fault = bot.load()
    finally:
        bot.close()
    assert fault is not None
    assert fault.ending is Ending.START_FAILED
    assert "waited for more than 3 s" in fault.complaint


def test_a_move_that_ends_in_a_fault_is_charged(sandbox: Sandbox, bots: Path) -> None:
    """Puzzles go on after a fault, so a bot could waste any time before it crashes."""
    source = """
import time
def agent(o, c):
    time.sleep(0.4)
    until = time.process_time() + 0.15
    while time.process_time() < until: pass
    raise ValueError
"""
    with running(source, sandbox, bots) as bot:
        fault = bot.ask(REQUEST)
        assert isinstance(fault, BotFault)
        assert fault.ending is Ending.CRASHED
        assert 0.15 <= bot.usage.cpu_ns / 1e9 < 0.4
        assert 0.25 < bot.usage.last_idle_ns / 1e9 < 2


def test_a_busy_machine_is_not_charged(sandbox: Sandbox, bots: Path) -> None:
    """Other processes have the processor for most of the time in which the bot thinks."""
    source = """
import time
def agent(o, c):
    until = time.process_time() + 0.25
    while time.process_time() < until: pass
    return "a"
"""
    limits = Limits(move_ms=5000, match_ms=5000, wall_factor=20)
    with busy_processor(4), running(source, sandbox, bots, limits) as bot:
        began = time.monotonic()
        for _ in range(4):
            assert bot.ask(REQUEST) == "a"
        waited = time.monotonic() - began
        worked = bot.usage.cpu_ns / 1e9
        assert waited > 1.2 * worked, "the processor was not busy"
        assert bot.usage.idle_ns / 1e9 < (waited - worked) / 2


def test_a_bot_that_gives_its_processor_away_is_charged(
    sandbox: Sandbox, bots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `sched_yield` a bot could look as if it always waited for a processor."""
    monkeypatch.setattr(BotProcess, "_read_delay", lambda self: time.monotonic_ns())
    with running(naps(0.8), sandbox, bots) as bot:
        assert bot.ask(REQUEST) == "a"
        assert bot.usage.last_idle_ns / 1e9 > 0.4


@contextmanager
def busy_processor(burners: int) -> Iterator[None]:
    """Pins this process to a processor that other processes use, too."""
    before = os.sched_getaffinity(0)
    core = min(before)
    burn = f"import os\nos.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
    started = [subprocess.Popen([sys.executable, "-c", burn]) for _ in range(burners)]
    try:
        os.sched_setaffinity(0, {core})
        yield
    finally:
        os.sched_setaffinity(0, before)
        for burner in started:
            burner.kill()
            burner.wait()


def test_a_bot_is_stopped_while_others_think(sandbox: Sandbox, bots: Path) -> None:
    if not has_threads(sandbox):
        pytest.skip("no threads here")
    source = """
import threading
def burn():
    while True: pass
threading.Thread(target=burn, daemon=True).start()
def agent(o, c):
    return "a"
"""
    limits = Limits(move_ms=2000, match_ms=20_000)
    with running(source, sandbox, bots, limits) as bot:
        bot.ask(REQUEST)
        time.sleep(0.05)
        before = cpu_s(bot)
        time.sleep(0.3)
        assert cpu_s(bot) == before


def test_loading_is_not_charged(sandbox: Sandbox, bots: Path) -> None:
    load = (
        "import time\nuntil = time.process_time() + 0.6\nwhile time.process_time() < until: pass\n"
    )
    agent = "def agent(o, c):\n    return 'a'\n"
    script = "for line in __import__('sys').stdin:\n    print('{\"move\":\"a\"}', flush=True)\n"
    for source in (load + agent, load + script.replace("for", "input()\nfor")):
        with running(source, sandbox, bots) as bot:
            assert bot.ask(REQUEST) == "a"
            assert bot.usage.cpu_ns < 0.3e9


def test_output_between_requests(sandbox: Sandbox, bots: Path) -> None:
    if not has_threads(sandbox):
        pytest.skip("no threads here")
    source = """
import os, threading
def agent(o, c):
    threading.Timer(0.2, os.write, (4, b"{}\\n")).start()
    return "a"
"""
    with running(source, sandbox, bots) as bot:
        assert bot.ask(REQUEST) == "a"
        # Continue the bot, as if the server had stopped it too late.
        signal.pidfd_send_signal(bot._cage.pidfd, signal.SIGCONT)
        time.sleep(0.6)
        answer = bot.ask(REQUEST)
        assert isinstance(answer, BotFault)
        # The output counts as the reply to the next request, alone or with the real reply.
        assert answer.ending in (Ending.BAD_REPLY, Ending.OUTPUT_FLOOD)


def test_a_long_request_to_a_bot_that_writes_first(sandbox: Sandbox, bots: Path) -> None:
    """With both pipes full, neither side may wait for the other forever."""
    source = """
import sys
sys.stderr.write("x" * 300_000)
lines = [sys.stdin.readline(), sys.stdin.readline()]
sys.stdout.write('{"move":"%d"}\\n' % len(lines[1]))
sys.stdout.flush()
sys.stdin.read()
"""
    request = b'{"type":"move","observation":{"x":"' + b"x" * 65_490 + b'"}}\n'
    with running(source, sandbox, bots) as bot:
        assert bot.ask(request) == str(len(request))


def test_a_request_that_is_too_long_is_our_fault(sandbox: Sandbox, bots: Path) -> None:
    with (
        running("def agent(o, c): return 'a'\n", sandbox, bots) as bot,
        pytest.raises(RunnerFailure, match="longer than the wire"),
    ):
        bot.ask(b"x" * 65_537)


def test_a_bot_reads_the_files_it_came_with(sandbox: Sandbox, bots: Path) -> None:
    files = {
        "bot.py": b"from lib import words\ndef agent(o, c):\n    return words.load()\n",
        "lib/words.py": b"def load():\n    return open('words.txt').read()\n",
        "words.txt": b"found",
    }
    cage = sandbox.launch(bots, LIMITS)
    cage.furnish(files)
    bot = BotProcess(cage, {"type": "hello"}, LIMITS)
    try:
        assert bot.load() is None
        assert bot.ask(REQUEST) == "found"
    finally:
        bot.close()


def test_the_order_of_sets_is_fixed(sandbox: Sandbox, bots: Path) -> None:
    source = "def agent(o, c):\n    return ''.join({chr(97 + n) for n in range(20)})\n"

    def ask() -> Any:
        with running(source, sandbox, bots) as bot:
            return bot.ask(REQUEST)

    assert ask() == ask()


def test_one_line() -> None:
    assert one_line(" a\nb\x00\x1b[31m ") == "a b  [31m"
    assert len(one_line("x" * 10_000)) == 300


def test_time_in_which_nothing_ran_is_not_charged(sandbox: Sandbox, bots: Path) -> None:
    """The machine was suspended for an hour, or the watchdog was not scheduled."""
    with running("def agent(o, c): return 'a'\n", sandbox, bots) as bot:
        watchdog.remove(bot)
        bot._set_move_deadline()
        for hour in range(1, 5):
            bot.look(3600.0 * hour)
        assert bot._late is None
        ticks = int(bot._wall_limit_s / _LONGEST_TICK_S) + 5
        for tick in range(ticks):
            bot.look(20_000 + tick * _LONGEST_TICK_S)
        assert bot._late is not None
        assert bot._late.ending is Ending.MOVE_TIMEOUT
