"""WebAssembly bots: those of the documentation, built and played, their clock, and their limits."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
import wasmtime

from engines.games import find_game
from ladder.errors import BadUpload, RunnerFailure
from ladder.runner.bot_process import BotFault, BotProcess
from ladder.runner.referee import play
from ladder.runner.replay import decode, verify
from ladder.runner.sandbox import Sandbox, Tier
from ladder.runner.sandbox.walls import WASMKIT
from ladder.runner.selftest import sandbox_of
from ladder.runner.uploads import check_upload
from ladder.values import Ending, Entrant, Kind, Limits, MatchJob

DOCUMENT = Path(__file__).parents[2] / "docs" / "bots.md"
SOURCES = dict(re.findall(r"```\w+\n// wasm: (\S+)\n(.*?)```", DOCUMENT.read_text(), re.DOTALL))
BUILD = {
    "bot.c": ["clang", "--target=wasm32-wasi", "-O2", "-Wl,--strip-all", "-o", "bot.wasm", "bot.c"],
    "bot.zig": [
        *(sys.executable, "-m", "ziglang", "build-exe", "bot.zig", "-target", "wasm32-wasi"),
        *("-O", "ReleaseSmall", "-femit-bin=bot.wasm", "--global-cache-dir", "cache"),
    ],
    "bot.ts": [
        *("npx", "asc", "bot.ts", "-o", "bot.wasm", "-O", "--config"),
        "node_modules/@assemblyscript/wasi-shim/asconfig.json",
    ],
}
REQUEST = b'{"type":"move","observation":{"legal":["a"]}}\n'


@pytest.fixture(params=tuple(Tier))
def sandbox(request: pytest.FixtureRequest, holding: dict[Tier, str]) -> Sandbox:
    """Every tier: all of them run WebAssembly."""
    tier: Tier = request.param
    if holding[tier]:
        pytest.skip(f"tier {tier}: {holding[tier]}")
    return sandbox_of(tier)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The documented bots whose tools are installed, each built once, at its first use."""

    class Built(dict[str, bytes]):
        def __missing__(self, name: str) -> bytes:
            folder = tmp_path_factory.mktemp("wasm")
            (folder / name).write_text(SOURCES[name])
            if name == "bot.ts":
                self._install(folder)
            if shutil.which(BUILD[name][0]) is None:
                pytest.skip(f"{BUILD[name][0]} is not installed")
            subprocess.run(BUILD[name], cwd=folder, check=True, capture_output=True)
            self[name] = (folder / "bot.wasm").read_bytes()
            return self[name]

        def _install(self, folder: Path) -> None:
            packages = ["assemblyscript", "@assemblyscript/wasi-shim"]
            command = ["npm", "install", "--silent", "--prefix", str(folder), *packages]
            try:
                subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
            except (OSError, subprocess.SubprocessError):
                pytest.skip("npm cannot install AssemblyScript here")

    return Built()


def match(code: bytes, limits: Limits = Limits()) -> MatchJob:  # noqa: B008 - frozen
    entrants = (Entrant("wasm", Kind.WASM, "0" * 64, code), Entrant("random", Kind.HOUSE, "1" * 64))
    return MatchJob(1, 1, "connect-four", 5, entrants, limits)


def test_all_documented_bots_can_be_built() -> None:
    assert set(SOURCES) == set(BUILD)


@pytest.mark.parametrize(
    "name", ["bot.c", *(pytest.param(n, marks=pytest.mark.slow) for n in ("bot.zig", "bot.ts"))]
)
def test_documented_bots_play(
    name: str, built: dict[str, bytes], sandbox: Sandbox, bots: Path
) -> None:
    code = built[name]
    assert check_upload(find_game("connect-four"), code) is Kind.WASM
    first, second = (play(match(code), sandbox, bots) for _ in range(2))
    assert first.verdict.ending is Ending.COMPLETED, first.seats[0]
    assert verify(decode(first.replay), second) is None
    # Not only the moves are equal, but also their times.
    assert first.seats[0].cpu_ms == second.seats[0].cpu_ms > 0


HEAD = """
(import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "clock_time_get" (func $clock (param i32 i64 i32) (result i32)))
(import "wasi_snapshot_preview1" "path_open" (func $open
  (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
(memory (export "memory") 1)
(data (i32.const 0) "\\00\\10\\00\\00\\00\\80\\00\\00")  ;; 32 KiB from 4096, to read into
(data (i32.const 16) "\\40\\00\\00\\00\\0d\\00\\00\\00")  ;; 13 bytes from 64, to write
(data (i32.const 64) "{\\"move\\":\\"a\\"}\\0a")
"""
LETTER = 73
"""The address of the letter of the move."""


@cache
def module(work: str, functions: str = "") -> bytes:
    """A bot that does `work` and answers, again and again."""
    loop = f"""(loop $again
      (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
      (if (i32.load (i32.const 8)) (then
        {work}
        (drop (call $write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 8)))
        (br $again))))"""
    text = f"""(module {HEAD} {functions}
      (func (export "_start") (local $n i64) {loop}))"""
    return bytes(wasmtime.wat2wasm(text))


SPIN = """(local.set $n (i64.const {rounds}))
  (loop $spin (br_if $spin (i64.ne (i64.const 0)
    (local.tee $n (i64.sub (local.get $n) (i64.const 1))))))"""


@contextmanager
def running(code: bytes, sandbox: Sandbox, bots: Path, limits: Limits) -> Iterator[BotProcess]:
    cage = sandbox.launch(bots, limits, WASMKIT)
    bot = BotProcess(cage, {"type": "hello", "seed": 7}, limits, code)
    try:
        assert bot.load() is None
        yield bot
    finally:
        bot.close()


def test_a_conversation(sandbox: Sandbox, bots: Path) -> None:
    limits = Limits()
    with running(module(SPIN.format(rounds=1_000_000)), sandbox, bots, limits) as bot:
        assert [bot.ask(REQUEST) for _ in range(3)] == ["a"] * 3
        assert bot.usage.moves == 3
        # The first move is within the time to start. The times of the others are exactly equal.
        times = {bot.usage.cpu_ns - bot.usage.last_ns, bot.usage.last_ns}
        assert len(times) == 1
        assert times.pop() > 1e6
        assert bot.clock_ms < limits.match_ms


def answer(code: bytes, sandbox: Sandbox, bots: Path, limits: Limits) -> BotFault:
    with running(code, sandbox, bots, limits) as bot:
        while not isinstance(reply := bot.ask(REQUEST), BotFault):
            pass
    assert isinstance(reply, BotFault)
    return reply


def test_fuel_is_the_limit_of_a_move(sandbox: Sandbox, bots: Path) -> None:
    limits = Limits(move_ms=20, match_ms=10_000, start_ms=2_000)
    fault = answer(module(SPIN.format(rounds=10**12)), sandbox, bots, limits)
    assert fault.ending is Ending.MOVE_TIMEOUT
    assert "20 ms of fuel time for one move" in fault.complaint


def test_fuel_is_the_limit_of_a_match(sandbox: Sandbox, bots: Path) -> None:
    limits = Limits(move_ms=20, match_ms=50, start_ms=2_000)
    fault = answer(module(SPIN.format(rounds=12_000_000)), sandbox, bots, limits)
    assert fault.ending is Ending.MATCH_TIMEOUT
    assert "50 ms of fuel time for the match" in fault.complaint


PUT = f"(i32.store8 (i32.const {LETTER}) (i32.add (i32.const 65) {{value}}))"


def letters(code: bytes, sandbox: Sandbox, bots: Path, count: int = 3) -> list[str]:
    with running(code, sandbox, bots, Limits()) as bot:
        return [bot.ask(REQUEST) for _ in range(count)]


def test_chance_and_time_follow_from_the_match(sandbox: Sandbox, bots: Path) -> None:
    dice = "(drop (call $random (i32.const 32) (i32.const 4)))"
    value = "(i32.and (i32.load (i32.const 32)) (i32.const 15))"
    chance = module(dice + PUT.format(value=value))
    assert letters(chance, sandbox, bots) == letters(chance, sandbox, bots)
    assert len(set(letters(chance, sandbox, bots, 12))) > 3
    watch = "(drop (call $clock (i32.const 0) (i64.const 1) (i32.const 32)))"
    moment = module(watch + PUT.format(value=value))
    assert letters(moment, sandbox, bots) == letters(moment, sandbox, bots)


def test_there_are_no_files(sandbox: Sandbox, bots: Path) -> None:
    arguments = "(i32.const 3) (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 0)"
    call = f"(call $open {arguments} (i64.const -1) (i64.const -1) (i32.const 0) (i32.const 8))"
    (letter,) = letters(module(PUT.format(value=call)), sandbox, bots, 1)
    assert ord(letter) - 65 == 52  # no such call


def test_memory_is_limited(sandbox: Sandbox, bots: Path) -> None:
    grow = "(i32.eq (i32.const -1) (memory.grow (i32.const {pages})))"
    assert letters(module(PUT.format(value=grow.format(pages=256))), sandbox, bots, 1) == ["A"]
    assert letters(module(PUT.format(value=grow.format(pages=4096))), sandbox, bots, 1) == ["B"]


def test_traps_are_reported(sandbox: Sandbox, bots: Path) -> None:
    wrong = "(i32.store (i32.const -4) (i32.const 0))"
    report = play(match(module("(unreachable)")), sandbox, bots)
    assert report.verdict.ending is Ending.START_FAILED
    assert "unreachable" in report.seats[0].complaint
    report = play(match(module(wrong)), sandbox, bots)
    assert "out of bounds" in report.seats[0].complaint


def test_tier_c_runs_nothing_else(bots: Path, holding: dict[Tier, str]) -> None:
    if holding[Tier.C]:
        pytest.skip(holding[Tier.C])
    with pytest.raises(RunnerFailure, match="WebAssembly only"):
        sandbox_of("C").launch(bots, Limits())
    assert not Kind.PYTHON.runs_in("C")
    assert Kind.WASM.runs_in("C")
    assert Kind.PROGRAM.runs_in(None)
    assert not Kind.WASM.runs_in(None)


def test_the_walls_of_tier_c_open_no_file(bots: Path) -> None:
    """Landlock may be missing there, so the filter forbids every call that takes a path."""
    from ladder.runner.sandbox.seccomp import filter_program
    from tests.runner.test_sandbox import ALLOW, EPERM, X86, run_filter

    program = filter_program("x86_64", opens_files=False)
    for number in (2, 4, 6, 21, 56, 78, 79, 89, 217, 257, 262, 332, 439):  # open, stat, …
        assert run_filter(program, X86, number) == EPERM
    assert run_filter(program, X86, 0) == ALLOW


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ('(module (memory (export "memory") 1))', "no function _start"),
        ('(module (func (export "_start")))', "no memory"),
        ('(module (memory (export "_start") 1))', "no function _start"),
        ('(module (import "env" "abort" (func)))', "imports 'abort' of 'env'"),
        ('(module (import "wasi_snapshot_preview1" "evil" (func)))', "imports 'evil'"),
        ('(module (import "wasi_snapshot_preview1" "fd_read" (memory 1)))', "no function"),
    ],
)
def test_refused(text: str, refusal: str) -> None:
    with pytest.raises(BadUpload, match=refusal):
        check_upload(find_game("connect-four"), bytes(wasmtime.wat2wasm(text)))


def test_reading_the_outline_is_limited() -> None:
    """The server reads it, so reading must be quick for all bytes."""
    data = b"\0asm\1\0\0\0" + b"\2\x05\xff\xff\xff\xff\x0f"
    with pytest.raises(BadUpload, match="more than 4096"):
        check_upload(find_game("connect-four"), data)
    with pytest.raises(BadUpload, match="more than 1000 sections"):
        check_upload(find_game("connect-four"), b"\0asm\1\0\0\0" + b"\0\0" * 500_000)
