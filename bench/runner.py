"""The speed of the runner: round trips to a sandboxed bot, and cold starts.

    python -m bench.runner [--tier A] [--rounds 20000] [--starts 30]

All processes of a round trip are pinned to one core. For comparison, the same run plays ping-pong
with two C processes over pipes, and starts a bare interpreter.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from engines.game import Game
from engines.games import find_game
from ladder.runner.bot_process import BotFault, BotProcess
from ladder.runner.sandbox import Sandbox
from ladder.runner.selftest import choose_tier, sandbox_of
from ladder.values import Limits

BOT = b"def agent(observation, configuration):\n    return observation['legal'][0]\n"
LIMITS = Limits(match_ms=3_600_000)
SMALL = {"turn": 12, "legal": ["d3", "c4"]}
"""About 64 bytes with the envelope."""


def pingpong_us(rounds: int, size: int, core: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/pingpong"
        source = Path(__file__).with_name("pingpong.c")
        subprocess.run(["cc", "-O2", "-o", program, source], check=True)
        words = [program, str(rounds), str(size), str(core)]
        return int(subprocess.run(words, check=True, capture_output=True).stdout) / 1000


def request(observation: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"type": "move", "observation": observation}) + b"\n"


def reversi_observation() -> dict[str, Any]:
    """An observation of the middle of a game."""
    game = find_game("reversi")
    assert isinstance(game, Game)
    state, history = game.start(1, 2), []
    for _ in range(30):
        move = game.legal(state)[0]
        history.append(game.format(state, move))
        state = game.play(state, move)
    return game.observation(state, 0) | {
        "game": game.name,
        "seat": 0,
        "turn": len(history),
        "position": game.position(state),
        "legal": [game.format(state, move) for move in game.legal(state)],
        "history": history,
        "clock_ms": [59_000, 58_000],
    }


def started(sandbox: Sandbox, bots: Path) -> BotProcess:
    cage = sandbox.launch(bots, LIMITS)
    cage.furnish({"bot.py": BOT})
    bot = BotProcess(cage, {"type": "hello"}, LIMITS)
    if (fault := bot.load()) is not None:
        raise SystemExit(fault.complaint)
    return bot


def round_trip_us(sandbox: Sandbox, bots: Path, line: bytes, rounds: int) -> float:
    bot, times = started(sandbox, bots), []
    try:
        for _ in range(rounds):
            before = time.perf_counter_ns()
            answer = bot.ask(line)
            times.append(time.perf_counter_ns() - before)
            if isinstance(answer, BotFault):
                raise SystemExit(answer.complaint)
    finally:
        bot.close()
    return statistics.median(times) / 1000


def cold_start_ms(sandbox: Sandbox, bots: Path) -> float:
    before = time.perf_counter()
    bot = started(sandbox, bots)
    bot.ask(request(SMALL))
    spent = time.perf_counter() - before
    bot.close()
    return spent * 1000


def bare_start_ms(python: str) -> float:
    before = time.perf_counter()
    subprocess.run([python, "-I", "-S", "-B", "-c", "pass"], check=True)
    return (time.perf_counter() - before) * 1000


def spread(measure: Callable[[], float], times: int) -> str:
    values = sorted(measure() for _ in range(times))
    return f"median {statistics.median(values):6.1f}   p90 {values[int(times * 0.9)]:6.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tier", choices=("A", "B"))
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--starts", type=int, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        data.chmod(0o755)  # bots with other user ids must have access
        tier = choose_tier(data, options.tier)
        sandbox = sandbox_of(tier)
        bots = data / "bots"
        cores = os.sched_getaffinity(0)
        print(f"tier {tier}, {sandbox.runtime.python}")
        for place in ("free", "pinned"):
            if place == "pinned":
                os.sched_setaffinity(0, {max(cores)})
            starts = spread(lambda: cold_start_ms(sandbox, bots), options.starts)
            print(f"cold start to first reply, {place:6} ms   {starts}")
            bare = spread(lambda: bare_start_ms(sandbox.runtime.python), options.starts)
            print(f"bare interpreter, {place:6}          ms   {bare}")
        small, full = request(SMALL), request(reversi_observation())
        # Interleaved, so that other processes disturb all alike.
        for _ in range(3):
            yardstick = pingpong_us(options.rounds, 64, max(cores))
            print(f"C ping-pong, 64 bytes             µs   {yardstick:6.2f}")
            for line in (small, full):
                trip = round_trip_us(sandbox, bots, line, options.rounds)
                print(f"round trip, {len(line):5} bytes           µs   {trip:6.2f}", end="")
                print(f"   {trip / yardstick:4.1f} times C")


if __name__ == "__main__":
    main()
