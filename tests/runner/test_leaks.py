"""Bots and their authors learn nothing about the server; a bot gets its promised memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import wasmtime

import ladder
from ladder.runner.bot_process import BotProcess
from ladder.runner.package import read_package
from ladder.runner.referee import play
from ladder.runner.sandbox import Sandbox, Tier
from ladder.runner.selftest import sandbox_of
from ladder.values import Ending, Entrant, Kind, Limits, MatchJob
from tests.hostile.archives import pack

HERE = os.path.dirname(str(ladder.__file__))
REQUEST = b'{"type":"move","observation":{"legal":["a"]}}\n'
HUNGRY = """
def agent(observation, configuration):
    kept = []
    try:
        while True:
            kept.append(bytearray(1 << 20))
    except MemoryError:
        count = len(kept)
        del kept
    return count
"""


def job(code: bytes, kind: Kind) -> MatchJob:
    entrants = (Entrant("bot", kind, "0" * 64, code), Entrant("random", Kind.HOUSE, "1" * 64))
    return MatchJob(1, 1, "connect-four", 5, entrants, Limits())


@pytest.mark.parametrize("memory_mb", [64, 256])
def test_a_bot_gets_the_memory_that_it_is_promised(
    sandbox: Sandbox, bots: Path, memory_mb: int
) -> None:
    limits = Limits(memory_mb=memory_mb, move_ms=20_000, match_ms=60_000)
    cage = sandbox.launch(bots, limits)
    cage.furnish(read_package(HUNGRY.encode()))
    bot = BotProcess(cage, {"type": "hello", "seed": 7}, limits)
    try:
        assert bot.load() is None
        got = bot.ask(REQUEST, text=False)
    finally:
        bot.close()
    # The interpreter differs by some MiB from version to version and from machine to machine.
    assert memory_mb - 16 <= got <= memory_mb + 4


def test_tracebacks_do_not_tell_the_folder_of_the_server(sandbox: Sandbox, bots: Path) -> None:
    files = {
        "bot.py": b"import other\ndef agent(o, c):\n    return other.fail()\n",
        "other.py": b"def fail():\n    return {}[1]\n",
    }
    report = play(job(pack(files), Kind.PYTHON), sandbox, bots)
    told = report.seats[0].stderr
    assert 'File "other.py", line 2' in told
    assert "other.py line 2: KeyError" in report.seats[0].complaint
    for place in (HERE, str(bots)):
        assert place not in told


@pytest.mark.parametrize("tier", list(Tier))
def test_no_function_of_the_host_shows_a_traceback(
    tier: Tier, holding: dict[Tier, str], bots: Path
) -> None:
    """A start function calls the host before the host can write into the memory."""
    if holding[tier]:
        pytest.skip(holding[tier])
    text = """(module
      (import "wasi_snapshot_preview1" "random_get" (func $f (param i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "fd_write"
        (func $w (param i32 i32 i32 i32) (result i32)))
      (memory (export "memory") 1)
      (func $s (drop (call $f (i32.const 0) (i32.const 8)))
        (drop (call $w (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8))) (unreachable))
      (start $s) (func (export "_start")))"""
    report = play(job(bytes(wasmtime.wat2wasm(text)), Kind.WASM), sandbox_of(tier), bots)
    assert report.verdict.ending is Ending.START_FAILED
    told = report.seats[0].stderr
    assert "wasmkit.py" not in told
    assert HERE not in told
