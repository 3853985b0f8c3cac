"""Takes the size of a bot's code, in a sandbox of its own, before it enters a division.

Each kind of bot has its own way, with the same measures, which divisions compare: `codesize` counts
Python code inside the sandbox, and programs, which are data, are counted here.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from engines.competition import BYTECODE_BYTES, STATEMENTS, Competition
from engines.programs.code import flatten
from engines.programs.text import parse
from engines.programs.trees import BadProgram
from ladder.errors import LadderError, RunnerFailure
from ladder.runner.package import read_package
from ladder.runner.sandbox import Sandbox
from ladder.runner.sandbox.jail import READY
from ladder.runner.sandbox.walls import CODESIZE
from ladder.values import CodeSize, Entrant, Kind, Limits, MatchJob, MatchReport

_LIMITS = Limits(move_ms=0, match_ms=0, start_ms=8_000)
"""A quarter of a megabyte of source is measured in two seconds."""

WAIT_S = _LIMITS.start_ms / 1000 * _LIMITS.wall_factor + 1
"""The wall time that goes with the CPU time. Nothing of the bot runs, so nothing can sleep."""

_ANSWER_BYTES = 4096

_WORD_BYTES = 8
"""Of an operation of a program, and of a number in it."""

_WASM = CodeSize({}, "WebAssembly is not measured.")
_NATIVE = CodeSize({}, "Native programs are not measured.")
_UNMEASURED = CodeSize({}, "The code could not be measured: compiling it fails or takes too long.")


def with_sizes(
    report: MatchReport, job: MatchJob, game: Competition, sandbox: Sandbox | None, bots: Path
) -> MatchReport:
    """The report with the sizes that the job asked for; seats at fault are not worth measuring."""
    seats = list(report.seats)
    for seat in job.measured:
        if seat not in report.verdict.at_fault:
            size = measure(job.entrants[seat], game, sandbox, bots)
            seats[seat] = replace(seats[seat], size=size)
    return replace(report, seats=tuple(seats))


def measure(
    entrant: Entrant, game: Competition, sandbox: Sandbox | None, bots: Path
) -> CodeSize | None:
    """The size of an entrant's code, None for house bots; raises `RunnerFailure`."""
    measurer = _MEASURERS.get(entrant.kind)
    return None if measurer is None else measurer(entrant, game, sandbox, bots)


def _measure_python(
    entrant: Entrant, game: Competition, sandbox: Sandbox | None, bots: Path
) -> CodeSize:
    if sandbox is None or entrant.code is None:
        raise RunnerFailure(f"there is no sandbox, or no code, to measure {entrant.name}")
    try:
        files = read_package(entrant.code)
    except LadderError as error:
        raise RunnerFailure(f"the code of {entrant.name} cannot be unpacked: {error}") from error
    told = _ask(sandbox, bots, files, {"modules": list(game.bot_modules)})
    try:
        return msgspec.json.decode(told, type=CodeSize)
    except msgspec.MsgspecError:
        return _UNMEASURED


def _measure_program(
    entrant: Entrant, game: Competition, sandbox: Sandbox | None, bots: Path
) -> CodeSize:
    """A statement per tree and one for the scaffolding by the game; the bytes that run."""
    reader = game.programs
    if reader is None or entrant.code is None:
        raise RunnerFailure(f"there is no program, or no game for it, to measure {entrant.name}")
    try:
        code = flatten(parse(entrant.code.decode(), reader.architecture))
    except (UnicodeDecodeError, BadProgram) as error:
        raise RunnerFailure(f"the program of {entrant.name} cannot be read: {error}") from error
    size = _WORD_BYTES * (code.operations + code.own_constants)
    return CodeSize({STATEMENTS: 1 + len(code.starts), BYTECODE_BYTES: size})


_MEASURERS: Mapping[Kind, Callable[[Entrant, Competition, Sandbox | None, Path], CodeSize]] = {
    Kind.PYTHON: _measure_python,
    Kind.PROGRAM: _measure_program,
    Kind.WASM: lambda entrant, game, sandbox, bots: _WASM,
    Kind.NATIVE: lambda entrant, game, sandbox, bots: _NATIVE,
}


def _ask(
    sandbox: Sandbox, bots: Path, files: Mapping[str, bytes], settings: Mapping[str, object]
) -> bytes:
    """The answer of `codesize` about the files of a bot; empty if it died."""
    cage = sandbox.launch(bots, _LIMITS, CODESIZE)
    try:
        cage.furnish(files)
        with contextlib.suppress(BrokenPipeError):  # it has ended; its output tells the reason
            os.write(cage.to_bot, msgspec.json.encode(settings) + b"\n")
        told = _read_all(cage.from_bot)
    except OSError as error:
        raise RunnerFailure(f"a bot cannot be measured: {error}") from error
    finally:
        cage.close()
    if not told.startswith(READY):
        raise RunnerFailure("the sandbox for measuring did not start")
    return told[len(READY) :]


def _read_all(source: int) -> bytes:
    give_up_s = time.monotonic() + WAIT_S
    poll = select.poll()
    poll.register(source, select.POLLIN)
    told = b""
    while len(told) < _ANSWER_BYTES and (left_s := give_up_s - time.monotonic()) > 0:
        if poll.poll(left_s * 1000):
            chunk = os.read(source, _ANSWER_BYTES)
            if not chunk:
                break
            told += chunk
    return told
