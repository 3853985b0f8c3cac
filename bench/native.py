"""The speed of native bots: starts beside those of Python bots, and round trips.

    python -m bench.native [--tier A] [--rounds 20000] [--starts 30]

All processes are pinned to one core. Starts of both kinds alternate, and round trips alternate with
those of two C processes over pipes, so that a busy machine disturbs all alike.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.runner import LIMITS, cold_start_ms, pingpong_us
from bench.sandbox import ask, fill, show
from ladder.runner.bot_process import BotProcess
from ladder.runner.native import PROGRAM
from ladder.runner.sandbox import Cage, Reserve
from ladder.runner.sandbox.walls import NATIVEKIT
from ladder.runner.selftest import choose_tier, sandbox_of


def compiled() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, PROGRAM)
        source = Path(__file__).with_suffix(".c")
        subprocess.run(["cc", "-O2", "-static", "-o", str(program), str(source)], check=True)
        return program.read_bytes()


@contextmanager
def running(cage: Cage, program: bytes) -> Iterator[BotProcess]:
    cage.furnish({PROGRAM: program}, PROGRAM)
    bot = BotProcess(cage, {"type": "hello"}, LIMITS, native=True)
    try:
        if (fault := bot.load()) is not None:
            raise SystemExit(fault.complaint)
        yield bot
    finally:
        bot.close()


def start_ms(launch: Callable[[], Cage], program: bytes) -> float:
    """The time from the request for a bot to its first reply."""
    before = time.perf_counter_ns()
    with running(launch(), program) as bot:
        ask(bot)
        return (time.perf_counter_ns() - before) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", choices=("A", "B"))
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--starts", type=int, default=30)
    options = parser.parse_args()
    program = compiled()
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        data.chmod(0o755)  # bots with other user ids must have access
        sandbox, bots = sandbox_of(choose_tier(data, options.tier)), data / "bots"
        core = max(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {core})
        print(f"tier {sandbox.tier}")
        native, python = [], []
        for _ in range(options.starts):
            native.append(start_ms(lambda: sandbox.launch(bots, LIMITS, NATIVEKIT), program))
            python.append(cold_start_ms(sandbox, bots))
        cold_ms = statistics.median(native)
        ratio = cold_ms / statistics.median(python)
        show(f"cold start to first reply, {cold_ms:.1f} ms", ratio, "Python", 1.0)
        reserve, warm = Reserve(sandbox, bots), []
        start_ms(lambda: reserve.launch(bots, LIMITS, NATIVEKIT), program)
        for _ in range(options.starts):
            fill(reserve)
            warm.append(start_ms(lambda: reserve.launch(bots, LIMITS, NATIVEKIT), program))
        reserve.close()
        show("warm start to first reply", statistics.median(warm), "ms", 2)
        for _ in range(3):
            yardstick = pingpong_us(options.rounds, 64, core)
            with running(sandbox.launch(bots, LIMITS, NATIVEKIT), program) as bot:
                trip_us = statistics.median(ask(bot) for _ in range(options.rounds)) / 1000
            show(f"a round trip, {trip_us:.1f} µs", trip_us / yardstick, "C", 4)


if __name__ == "__main__":
    main()
