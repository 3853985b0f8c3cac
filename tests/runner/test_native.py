"""Native bots: those of the documentation, built and played, their limits, and bad uploads."""

from __future__ import annotations

import os
import random
import re
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engines.games import find_game
from ladder.errors import BadUpload, TooLarge
from ladder.runner import native_canary
from ladder.runner.bot_process import BotFault, BotProcess
from ladder.runner.native import MAX_PROGRAM_BYTES, PROGRAM, check_program, read_native
from ladder.runner.referee import play
from ladder.runner.replay import decode, verify
from ladder.runner.sandbox import Sandbox, Tier
from ladder.runner.sandbox.walls import NATIVEKIT
from ladder.runner.selftest import native_fault, sandbox_of
from ladder.runner.uploads import check_upload, kind_of
from ladder.values import Ending, Entrant, Kind, Limits, MatchJob
from tests.hostile.archives import pack
from tests.runner.conftest import bots_running

DOCUMENT = Path(__file__).parents[2] / "docs" / "bots.md"
SOURCES = dict(re.findall(r"```\w+\n// native: (\S+)\n(.*?)```", DOCUMENT.read_text(), re.DOTALL))
BUILD = {
    "bot.c": ["gcc", "-O2", "-static", "-o", "bot", "bot.c"],
    "bot.rs": ["rustc", "-O", "-C", "target-feature=+crt-static", "bot.rs"],
    "bot.go": ["go", "build", "-o", "bot", "bot.go"],
}
GAME = find_game("connect-four")
CANARY = native_canary.build()
REQUEST = b'{"type":"move","observation":{"legal":["a"]}}\n'
LIMITS = Limits(move_ms=400, match_ms=2_000, memory_mb=64)


@pytest.fixture(params=(Tier.A, Tier.B))
def sandbox(request: pytest.FixtureRequest, holding: dict[Tier, str]) -> Sandbox:
    if holding[request.param]:
        pytest.skip(f"tier {request.param}: {holding[request.param]}")
    return sandbox_of(request.param)


def build(name: str, source: str, folder: Path) -> bytes:
    if shutil.which(BUILD[name][0]) is None:
        pytest.skip(f"{BUILD[name][0]} is not installed")
    (folder / name).write_text(source)
    environment = os.environ | {"CGO_ENABLED": "0", "GOCACHE": str(folder / "cache")}
    subprocess.run(BUILD[name], cwd=folder, check=True, capture_output=True, env=environment)
    return (folder / "bot").read_bytes()


@pytest.fixture(scope="session")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return build("bot.c", SOURCES["bot.c"], tmp_path_factory.mktemp("native"))


def match(code: bytes, limits: Limits = LIMITS) -> MatchJob:
    rival = Entrant("random", Kind.HOUSE, "")
    return MatchJob(1, 1, GAME.name, 5, (Entrant("mybot", Kind.NATIVE, "", code), rival), limits)


@contextmanager
def running(code: bytes, sandbox: Sandbox, bots: Path, limits: Limits) -> Iterator[BotProcess]:
    cage = sandbox.launch(bots, limits, NATIVEKIT)
    cage.furnish(read_native(code), PROGRAM)
    bot = BotProcess(cage, {"type": "hello"}, limits, native=True)
    try:
        assert bot.load() is None
        yield bot
    finally:
        bot.close()


def test_the_documented_bot_plays(in_c: bytes, sandbox: Sandbox, bots: Path) -> None:
    assert check_upload(GAME, in_c) is Kind.NATIVE
    report = play(match(in_c), sandbox, bots)
    assert report.verdict.ending is Ending.COMPLETED, report.seats[0]
    again = play(match(in_c), sandbox, bots)
    assert verify(decode(report.replay), again) is None, "it plays the same match again"


@pytest.mark.proof
@pytest.mark.parametrize("name", ["bot.rs", "bot.go"])
def test_documented_bots_of_other_languages_play(
    name: str, sandbox: Sandbox, bots: Path, tmp_path: Path
) -> None:
    report = play(match(build(name, SOURCES[name], tmp_path)), sandbox, bots)
    assert report.verdict.ending is Ending.COMPLETED, report.seats[0]


def test_it_reads_its_data(sandbox: Sandbox, bots: Path, tmp_path: Path) -> None:
    code = build("bot.c", READER, tmp_path)
    with running(pack({"bot": code, "data/move": b"h"}), sandbox, bots, LIMITS) as bot:
        assert bot.ask(REQUEST) == "h"


READER = r"""
#include <stdio.h>
int main(void) {
    char move[2] = "?", line[4096];
    FILE *data = fopen("data/move", "r");
    if (data) fread(move, 1, 1, data);
    while (fgets(line, sizeof line, stdin) && fgets(line, sizeof line, stdin)) {
        printf("{\"move\":\"%s\"}\n", move);
        fflush(stdout);
    }
}
"""


def test_the_smallest_program_passes_the_self_test(
    bots: Path, sandbox: Sandbox, holding: dict[Tier, str]
) -> None:
    check_program(CANARY)
    assert native_fault(bots.parent, sandbox.tier) == ""
    assert "no wall" in native_fault(bots.parent, Tier.C)


def test_memory_is_measured(sandbox: Sandbox, bots: Path, tmp_path: Path) -> None:
    """A bot may use nearly all of its memory, and not more."""
    code = build("bot.c", HUNGRY, tmp_path)
    for mebibytes, fault in ((LIMITS.memory_mb - 8, False), (LIMITS.memory_mb + 8, True)):
        with running(code, sandbox, bots, LIMITS) as bot:
            request = REQUEST.replace(b'"a"', b'"%d"' % mebibytes)
            answer = bot.ask(request)
        if fault:
            assert isinstance(answer, BotFault)
            assert answer.ending is Ending.OUT_OF_MEMORY
            assert "64 MiB" in answer.complaint
        else:
            assert answer == "ok"


HUNGRY = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int main(void) {
    char line[4096], *legal;
    while (fgets(line, sizeof line, stdin)) {
        if (!(legal = strstr(line, "\"legal\":[\""))) continue;
        size_t size = (size_t)atoi(legal + 10) << 20;
        memset(malloc(size), 1, size);
        for (clock_t end = clock() + CLOCKS_PER_SEC / 10; clock() < end;) continue;
        puts("{\"move\":\"ok\"}");
        fflush(stdout);
    }
}
"""


@pytest.mark.parametrize(
    ("body", "ending", "words"),
    [
        ("return 3;", Ending.START_FAILED, "before its first reply, with status 3"),
        ("return 84;", Ending.START_FAILED, "with status 84"),
        ("*(volatile int *)0 = 1;", Ending.START_FAILED, "SIGSEGV"),
        ("for (;;) continue;", Ending.MOVE_TIMEOUT, "more than 400 ms of CPU time"),
        ("for (;;) pause();", Ending.MOVE_TIMEOUT, "in time"),
        ("close(0); close(1); for (;;) pause();", Ending.BAD_REPLY, "closed its standard output"),
        ('for (;;) puts("x");', Ending.OUTPUT_FLOOD, "more than one line"),
        ('puts(""); fflush(stdout); for (;;) pause();', Ending.BAD_REPLY, "is wrong"),
    ],
)
def test_a_fault_loses_and_leaves_nothing(
    body: str, ending: Ending, words: str, holding: dict[Tier, str], bots: Path, tmp_path: Path
) -> None:
    source = f"#include <stdio.h>\n#include <unistd.h>\nint main(void) {{ {body} }}\n"
    code = build("bot.c", source, tmp_path)
    tier = next(tier for tier, reason in holding.items() if not reason)
    # Those that wait end by wall time, of which they get little.
    factor = 0.0 if "pause" in body else 20.0
    limits = Limits(move_ms=400, match_ms=2_000, start_ms=1_000, wall_factor=factor)
    report = play(match(code, limits), sandbox_of(tier), bots)
    assert report.verdict.ending is ending, report.seats[0]
    assert report.verdict.at_fault == (0,)
    assert words in report.seats[0].complaint
    assert not bots_running()


def patched(place: int, layout: str, *values: int) -> bytes:
    """The canary with other bytes at a place of its headers."""
    data = bytearray(CANARY)
    struct.pack_into(f"<{layout}", data, place, *values)
    return bytes(data)


INTERPRETED = CANARY[:64] + struct.pack("<I", 3) + CANARY[68:]
BAD_UPLOADS = {
    "empty": (b"\x7fELF", "cut off in its header"),
    "header": (CANARY[:40], "cut off in its header"),
    "segments": (CANARY[:80], "cut off in its list of segments"),
    "contents": (CANARY[:-1], "cut off in segment 0"),
    "32 bits": (patched(4, "B", 1), "32-bit"),
    "big-endian": (patched(5, "B", 2), "big-endian"),
    "class": (patched(4, "B", 9), "damaged"),
    "machine": (patched(18, "H", 243), "built for RISC-V"),
    "odd machine": (patched(18, "H", 9999), "machine type 9999"),
    "object": (patched(16, "H", 1), "object file"),
    "core": (patched(16, "H", 4), "core dump"),
    "type": (patched(16, "H", 7), "damaged"),
    "library": (patched(16, "HHIQ", 3, *struct.unpack_from("<HI", CANARY, 18), 0), "library"),
    "start": (patched(24, "Q", 1), "damaged: its start address"),
    "no segments": (patched(56, "H", 0), "1 to 64 segments"),
    "many segments": (patched(56, "H", 65_535), "1 to 64 segments"),
    "odd segments": (patched(54, "H", 55), "segments"),
    "far segments": (patched(32, "Q", 1 << 60), "list of segments"),
    "interpreter": (INTERPRETED, "dynamic linker"),
    "nothing loaded": (patched(64, "I", 4), "no segment that is loaded"),
    "far address": (patched(64 + 16, "Q", (1 << 64) - 1), "impossible size or address"),
    "less memory": (patched(64 + 40, "Q", 1), "impossible size or address"),
    "much memory": (patched(64 + 40, "Q", 1 << 31), "takes 2048 MiB"),
    "packed": (CANARY + b"UPX!", "packed by UPX"),
    "script": (pack({"bot": b"#!/bin/sh\n"}), "is a script"),
    "text": (pack({"bot": b"hello"}), "no Linux program"),
    "link": (pack({"bot": b""}), "no Linux program"),
}


@pytest.mark.parametrize("name", BAD_UPLOADS)
def test_bad_uploads_are_refused(name: str) -> None:
    data, words = BAD_UPLOADS[name]
    with pytest.raises(BadUpload) as refusal:
        check_upload(GAME, data)
    assert words in str(refusal.value)


def test_overlapping_segments_are_refused() -> None:
    header = bytearray(CANARY[:64])
    struct.pack_into("<H", header, 56, 2)
    data = bytes(header) + CANARY[64:120] * 2 + CANARY[120:] + bytes(56)
    with pytest.raises(BadUpload, match="overlap"):
        check_upload(GAME, data)


@pytest.mark.parametrize("flags", [(), ("-static", "-nostdlib", "-shared")])
def test_programs_that_need_others_are_refused(flags: tuple[str, ...], tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    source = "int main(void) { return 0; }\n" if not flags else "int f(void) { return 0; }\n"
    (tmp_path / "bot.c").write_text(source)
    subprocess.run(["gcc", *flags, "-o", "bot", "bot.c"], cwd=tmp_path, check=True)
    with pytest.raises(BadUpload, match=r"link it statically|is a library"):
        check_upload(GAME, (tmp_path / "bot").read_bytes())


def test_large_programs_are_refused() -> None:
    with pytest.raises(TooLarge, match="at most"):
        check_upload(GAME, CANARY + bytes(MAX_PROGRAM_BYTES))
    with pytest.raises(TooLarge, match="at most 1048576"):
        check_upload(GAME, b"x" * (1 << 20) + b"x")


def test_the_kind_is_found_by_content() -> None:
    assert kind_of(CANARY) is kind_of(pack({"bot": b""})) is Kind.NATIVE
    assert kind_of(pack({"bot": CANARY, "bot.py": b"x = 1"})) is Kind.PYTHON
    assert kind_of(b"PK\x03\x04") is Kind.PYTHON


@pytest.mark.parametrize("seed", range(4))
def test_no_mutation_crashes_the_reader(seed: int, in_c: bytes) -> None:
    """Changed headers of small and real programs are read or refused, and nothing else."""
    draw = random.Random(seed)
    refused = 0
    for number in range(30_000):
        data = bytearray(CANARY if number % 8 else in_c[:4096])
        for _ in range(draw.choice((1, 1, 2, 8))):
            # Headers are at the start; half of the changes are of whole fields.
            place = draw.randrange(4, min(len(data), 1024))
            if draw.random() < 0.5:
                data[place] = draw.randrange(256)
            else:
                value = draw.choice((0, 1, 0x7F, 0xFF)).to_bytes(1, "little")
                data[place : place + 8] = value * len(data[place : place + 8])
        if draw.random() < 0.1:
            del data[draw.randrange(4, len(data)) :]
        try:
            check_program(bytes(data))
        except BadUpload:
            refused += 1
    assert refused > 10_000
