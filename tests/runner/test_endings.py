"""Every way in which a bot can end a match, by one small bot each, in every tier."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from ladder.runner.referee import play
from ladder.runner.sandbox import Sandbox
from ladder.values import Ending, Entrant, Kind, Limits, MatchJob
from tests.runner.conftest import has_threads

BOTS = Path(__file__).with_name("bots")
LIMITS = Limits(move_ms=250, match_ms=500, memory_mb=64, start_ms=1_000, wall_factor=2.0)
# For bots that wait: their limits of wall time are short, so that the tests are quick.
PATIENCE = dataclasses.replace(LIMITS, wall_factor=0.0)

COMPLETED = ("closes-stderr", "floods-stderr", "has-main-block", "honest", "many-threads")
COMPLETED += ("one-argument", "prints", "script")

# By bot: the ending of its match, and a part of the message to its author.
FAULTS = {
    "syntax-error": (Ending.START_FAILED, "bot.py line 1 column 38: SyntaxError: expected ':'"),
    "nested-source": (Ending.START_FAILED, "SyntaxError: too many nested"),
    "raises-while-loading": (Ending.START_FAILED, "bot.py line 5: KeyError: 'missing'"),
    "imports-numpy": (Ending.START_FAILED, "bot.py line 1: ModuleNotFoundError: No module named"),
    "no-agent": (Ending.START_FAILED, "defines no agent(observation, configuration)"),
    "agent-is-no-function": (Ending.START_FAILED, "defines no agent(observation, configuration)"),
    "exits-while-loading": (Ending.START_FAILED, "ended before its first reply, with status 3"),
    "loads-forever": (Ending.START_FAILED, "more than 1000 ms of CPU time to load"),
    "sleeps-while-loading": (Ending.START_FAILED, "no answer in time"),
    "script-raises": (Ending.START_FAILED, "bot.py line 4: ValueError"),
    "illegal-move": (Ending.ILLEGAL_MOVE, "'the moon' is illegal"),
    "opponents-move": (Ending.ILLEGAL_MOVE, "is illegal"),
    "nul-move": (Ending.BAD_REPLY, "a NUL character"),
    "not-text": (Ending.BAD_REPLY, "agent() returned a number; a move is a string"),
    "no-return": (Ending.BAD_REPLY, "agent() returned None: is a return missing?"),
    "script-null": (Ending.BAD_REPLY, "its move is null, not a string"),
    "no-json": (Ending.BAD_REPLY, "the agent returned a set that is no JSON"),
    "nan": (Ending.BAD_REPLY, "the agent returned a float that is no JSON"),
    "script-not-json": (Ending.BAD_REPLY, "not JSON"),
    "script-bad-utf8": (Ending.BAD_REPLY, "not UTF-8"),
    "script-lone-surrogate": (Ending.BAD_REPLY, "half of a surrogate pair"),
    "script-deep-json": (Ending.BAD_REPLY, "nested more than 128 deep"),
    "script-no-move": (Ending.BAD_REPLY, 'has no key "move"'),
    "closes-stdout": (Ending.BAD_REPLY, "closed its standard output"),
    "endless-line": (Ending.OUTPUT_FLOOD, "longer than 65536 bytes"),
    "script-endless-line": (Ending.OUTPUT_FLOOD, "longer than 65536 bytes"),
    "script-two-lines": (Ending.OUTPUT_FLOOD, "more than one line"),
    "writes-while-loading": (Ending.OUTPUT_FLOOD, "without being asked"),
    "busy-loop": (Ending.MOVE_TIMEOUT, "more than 250 ms of CPU time for one move"),
    "busy-threads": (Ending.MOVE_TIMEOUT, "more than 250 ms of CPU time for one move"),
    "big-number": (Ending.MOVE_TIMEOUT, "more than 250 ms of CPU time for one move"),
    "ignores-signals": (Ending.MOVE_TIMEOUT, "more than 250 ms of CPU time for one move"),
    "sleeps": (Ending.MOVE_TIMEOUT, "no answer in time"),
    "script-never-reads": (Ending.MOVE_TIMEOUT, "no answer in time"),
    "script-half-line": (Ending.MOVE_TIMEOUT, "no answer in time"),
    "script-drips": (Ending.MOVE_TIMEOUT, "no answer in time"),
    "slow-and-steady": (Ending.MATCH_TIMEOUT, "used up its 500 ms of CPU time for the match"),
    "raises": (Ending.CRASHED, "bot.py line 2: IndexError: list index out of range"),
    "raises-odd": (Ending.CRASHED, "Odd"),
    "exits": (Ending.CRASHED, "ended during the match, with status 7"),
    "exits-quietly": (Ending.CRASHED, "ended during the match, with status 0"),
    "pretends-failure-of-ours": (Ending.CRASHED, "ended during the match, with status 97"),
    "segfault": (Ending.CRASHED, "killed by SIGSEGV"),
    "forbidden-call": (Ending.CRASHED, "killed by SIGSYS (a forbidden system call)"),
    "memory-bomb": (Ending.OUT_OF_MEMORY, "more than 64 MiB"),
    "endless-recursion": (Ending.OUT_OF_MEMORY, "more than 64 MiB"),
    "memory-while-loading": (Ending.OUT_OF_MEMORY, "more than 64 MiB"),
}


def job_of(name: str, limits: Limits = LIMITS) -> MatchJob:
    code = (BOTS / name / "bot.py").read_bytes()
    entrants = (Entrant(name, Kind.PYTHON, "0" * 64, code), Entrant("random", Kind.HOUSE, "1" * 64))
    return MatchJob(1, 1, "connect-four", 11, entrants, limits)


def test_every_bot_is_expected_to_do_something() -> None:
    assert {path.parent.name for path in BOTS.glob("*/bot.py")} == {*COMPLETED, *FAULTS}
    assert {ending for ending, _ in FAULTS.values()} == set(Ending) - {Ending.COMPLETED}


@pytest.mark.parametrize("name", COMPLETED)
def test_completed(name: str, sandbox: Sandbox, bots: Path) -> None:
    report = play(job_of(name), sandbox, bots)
    assert report.verdict.ending is Ending.COMPLETED, report.seats[0]
    assert report.verdict.at_fault == ()
    assert report.seats[0].complaint == ""
    assert report.seats[0].moves > 0
    assert len(report.seats[0].stderr) <= 64 * 1024


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str, sandbox: Sandbox, bots: Path) -> None:
    ending, complaint = FAULTS[name]
    if name == "busy-threads" and not has_threads(sandbox):
        pytest.skip("no threads here")
    waits = "no answer" in complaint
    report = play(job_of(name, PATIENCE if waits else LIMITS), sandbox, bots)
    assert report.verdict.ending is ending, report.seats[0]
    assert complaint in report.seats[0].complaint
    assert report.verdict.at_fault == (0,)
    assert report.verdict.scores == (0.0, 1.0)
    assert report.seats[1].complaint == ""
    assert report.explanation.startswith(name)
    report.seats[0].complaint.encode("utf-8")
    assert "\0" not in report.seats[0].complaint + report.seats[0].stderr
