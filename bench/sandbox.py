"""The cost of sandbox walls per move and per start, and the influence of a busy opponent.

    python -m bench.sandbox [--tier A] [--rounds 5000] [--pairs 41] [--starts 30]

All processes are pinned to one core. All measurements are consecutive pairs, so that a busy machine
disturbs both alike, and medians of all pairs are compared.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import select
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.runner import BOT, LIMITS, SMALL, bare_start_ms, request
from ladder.runner.bot_process import BotFault, BotProcess
from ladder.runner.sandbox import Cage, Reserve, Sandbox, Wall
from ladder.runner.selftest import choose_tier, sandbox_of

THINKER = b"""
import time
def agent(observation, configuration):
    total = 0
    for number in range(1_000_000):
        total += number
    return "a"
"""
IDLER = b"def agent(observation, configuration):\n    return 'a'\n"
PONDERER = (
    b"""
import threading, zlib
def burn():
    while True:
        zlib.crc32(bytes(1 << 16))
for _ in range(4):
    threading.Thread(target=burn, daemon=True).start()
"""
    + IDLER
)
LINE = request(SMALL)


@contextmanager
def running(cage: Cage, source: bytes) -> Iterator[BotProcess]:
    cage.furnish({"bot.py": source})
    bot = BotProcess(cage, {"type": "hello"}, LIMITS)
    try:
        if (fault := bot.load()) is not None:
            raise SystemExit(fault.complaint)
        yield bot
    finally:
        bot.close()


def ask(bot: BotProcess) -> int:
    """Nanoseconds of one move."""
    before = time.perf_counter_ns()
    answer = bot.ask(LINE)
    spent = time.perf_counter_ns() - before
    if isinstance(answer, BotFault):
        raise SystemExit(answer.complaint)
    return spent


def move_cost(sandbox: Sandbox, bots: Path, rounds: int) -> tuple[float, float]:
    """The median of a move with walls in microseconds, and the median ratio to one without."""
    bare = dataclasses.replace(sandbox_of("B"), runtime=sandbox.runtime, without=frozenset(Wall))
    walled_ns: list[int] = []
    bare_ns: list[int] = []
    with (
        running(sandbox.launch(bots, LIMITS), BOT) as inside,
        running(bare.launch(bots, LIMITS), BOT) as outside,
    ):
        for number in range(rounds):
            # Each is first in half of the pairs.
            for bot in (inside, outside) if number % 2 else (outside, inside):
                (walled_ns if bot is inside else bare_ns).append(ask(bot))
    ratios = (walled / bare for walled, bare in zip(walled_ns, bare_ns, strict=True))
    return statistics.median(walled_ns) / 1000, statistics.median(ratios)


def start_ms(launch: Callable[[], Cage]) -> float:
    """The time from the request for a bot to its first reply."""
    before = time.perf_counter_ns()
    with running(launch(), BOT) as bot:
        ask(bot)
        return (time.perf_counter_ns() - before) / 1e6


def fill(reserve: Reserve) -> None:
    """Start cages ahead, and wait until they are ready."""
    reserve.fill()
    waiting = [cage.from_bot for _, cage in reserve._waiting]
    select.select(waiting, [], [])  # until its walls are up
    time.sleep(0.02)  # and it is waiting


def warm_start_ms(reserve: Reserve, bots: Path) -> float:
    fill(reserve)
    return start_ms(lambda: reserve.launch(bots, LIMITS))


def pondering(sandbox: Sandbox, bots: Path, pairs: int) -> tuple[float, float]:
    """The median of a CPU-bound move in ms, and the median ratio beside a spinning bot."""
    beside: dict[bytes, list[int]] = {PONDERER: [], IDLER: []}
    with (
        running(sandbox.launch(bots, LIMITS), THINKER) as thinker,
        running(sandbox.launch(bots, LIMITS), PONDERER) as ponderer,
        running(sandbox.launch(bots, LIMITS), IDLER) as idler,
    ):
        neighbours = {PONDERER: ponderer, IDLER: idler}
        for _ in range(pairs):
            for kind, other in neighbours.items():
                ask(other)
                beside[kind].append(ask(thinker))
    pairs_ns = zip(beside[PONDERER], beside[IDLER], strict=True)
    return statistics.median(beside[IDLER]) / 1e6, statistics.median(a / b for a, b in pairs_ns)


def show(what: str, value: float, unit: str, limit: float) -> None:
    verdict = "" if value <= limit else "   MISSED"
    print(f"{what:52} {value:8.3f} {unit:5} at most {limit:g}{verdict}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", choices=("A", "B"))
    parser.add_argument("--rounds", type=int, default=5_000)
    parser.add_argument("--pairs", type=int, default=41)
    parser.add_argument("--starts", type=int, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        data.chmod(0o755)  # bots with other user ids must have access
        sandbox, bots = sandbox_of(choose_tier(data, options.tier)), data / "bots"
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
        print(f"tier {sandbox.tier}, {sandbox.runtime.python}")
        for _ in range(3):
            walled_us, ratio = move_cost(sandbox, bots, options.rounds)
            show(f"a move, {walled_us:.1f} µs with walls", ratio, "times", 1.1)
        cold = [start_ms(lambda: sandbox.launch(bots, LIMITS)) for _ in range(options.starts)]
        bare = statistics.median(
            bare_start_ms(sandbox.runtime.python) for _ in range(options.starts)
        )
        show("cold start to first reply", statistics.median(cold), "ms", 60)
        print(f"  (a bare interpreter starts and ends in {bare:.1f} ms now)")
        reserve = Reserve(sandbox, bots)
        start_ms(lambda: reserve.launch(bots, LIMITS))  # so that the reserve knows the kind of bot
        warm = [warm_start_ms(reserve, bots) for _ in range(options.starts)]
        show("warm start to first reply", statistics.median(warm), "ms", 2)
        reserve.close()
        alone_ms, ratio = pondering(sandbox, bots, options.pairs)
        show(f"a move of {alone_ms:.0f} ms beside a ponderer", ratio, "times", 1.03)


if __name__ == "__main__":
    main()
