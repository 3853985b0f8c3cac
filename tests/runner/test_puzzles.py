"""Matches of puzzles: the same instances for all, and a fault costs the instance alone.

The instances of `SUMS` are solved by the places [0], [0, 1] and [0, 1].
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest
import wasmtime

from engines.competition import IllegalMove
from ladder.errors import RefereeFailure
from ladder.runner import puzzles, replay
from ladder.runner.bot_process import BotFault
from ladder.runner.puzzles import PuzzleScore, PuzzleSeat, check_record, puzzle_scores
from ladder.runner.referee import play
from ladder.runner.replay import BadReplay, Replay
from ladder.runner.sandbox import Sandbox
from ladder.values import Ending, Entrant, Kind, Limits, MatchJob, MatchReport, SeatReport
from tests.engines.toys import SUMS, Sums

SOLVER = """
def agent(observation, configuration):
    number = observation["number"]
    {work}
    return [0] if number == 0 else [0, 1]
"""
WASM = """(module
(import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
(memory (export "memory") 1)
(data (i32.const 0) "\\00\\10\\00\\00\\00\\80\\00\\00")
(data (i32.const 16) "\\40\\00\\00\\00\\0d\\00\\00\\00")
(data (i32.const 64) "{\\"move\\":[0]}\\0a")
(func (export "_start") (loop $again
  (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 8)))
  (if (i32.load (i32.const 8)) (then
    (drop (call $write (i32.const 1) (i32.const 16) (i32.const 1) (i32.const 8)))
    (br $again))))))"""
"""Answers [0] to everything."""


def bot(work: str = "pass", name: str = "bot") -> Entrant:
    return Entrant(name, Kind.PYTHON, "0" * 64, SOLVER.format(work=work).encode())


def house(name: str) -> Entrant:
    return Entrant(name, Kind.HOUSE, "1" * 64)


def job(*entrants: Entrant, limits: Limits = Limits()) -> MatchJob:  # noqa: B008 - frozen
    return MatchJob(9, 2, "sums", 3, entrants, limits)


def answers(report: MatchReport, seat: int = 0) -> list[tuple[bool, int, Ending | None]]:
    document = replay.decode(report.replay)
    return [(one[seat].solved, one[seat].moves, one[seat].ending) for one in document.answers]


SOLVED = [(True, 1, None), (True, 2, None), (True, 2, None)]


def test_more_solved_ranks_higher_then_fewer_moves(sandbox: Sandbox, bots: Path) -> None:
    match = job(house("gives-up"), bot(), house("singles"), house("pairs"))
    first, second = (play(match, sandbox, bots, SUMS) for _ in range(2))
    assert first.verdict.ending is Ending.COMPLETED
    assert first.verdict.scores == (0.0, pytest.approx(5 / 6), pytest.approx(1 / 3), 5 / 6)
    assert first.verdict.ranks == (4, 1, 3, 1)
    assert answers(first, 1) == SOLVED
    assert [seat.columns for seat in first.seats] == [
        {"solved": float(solved), "moves": float(moves)}
        for solved, moves in ((0, 0), (3, 5), (1, 1), (3, 5))
    ]
    assert first.explanation == (
        "bot solved 3 of 3 in 5 moves, pairs solved 3 of 3 in 5 moves, "
        "singles solved 1 of 3 in 1 move, …"
    )
    document = replay.decode(first.replay)
    assert replay.verify(document, second) is None
    check_record(document, SUMS)


@pytest.mark.parametrize(
    ("tallies", "scores"),
    [
        ([PuzzleScore(2, 9, False), PuzzleScore(1, 1, False)], (1.0, 0.0)),
        ([PuzzleScore(2, 9, False), PuzzleScore(2, 8, False)], (0.0, 1.0)),
        ([PuzzleScore(0, 0, False), PuzzleScore(0, 0, False)], (0.5, 0.5)),
        ([PuzzleScore(0, 0, True), PuzzleScore(0, 0, False)], (0.0, 1.0)),
        ([PuzzleScore(0, 0, True), PuzzleScore(0, 0, True)], (0.0, 0.0)),
        (
            [PuzzleScore(1, 1, False), PuzzleScore(1, 1, False), PuzzleScore(0, 0, False)],
            (0.75, 0.75, 0.0),
        ),
    ],
)
def test_scores(tallies: list[PuzzleScore], scores: tuple[float, ...]) -> None:
    assert puzzle_scores(tallies) == scores


@pytest.mark.parametrize(
    ("work", "ending", "told"),
    [
        ("if number == 1: raise ValueError('no')", Ending.CRASHED, "ValueError: no"),
        ("if number == 1: print(1 / 0)", Ending.CRASHED, "ZeroDivisionError"),
        ("while number == 1: pass", Ending.MOVE_TIMEOUT, "200 ms"),
        ("if number == 1: return 'x' * 10_000_000", Ending.OUTPUT_FLOOD, "longer than 65536"),
        ("if number == 1: return object()", Ending.BAD_REPLY, "no JSON"),
        ("if number == 1: return bytearray(10**10)", Ending.OUT_OF_MEMORY, "MiB of memory"),
        ("import os\n    if number == 1: os._exit(3)", Ending.CRASHED, "status 3"),
    ],
)
def test_a_fault_costs_one_instance(
    work: str, ending: Ending, told: str, sandbox: Sandbox, bots: Path
) -> None:
    match = job(bot(work), house("singles"), limits=Limits(move_ms=200, wall_factor=50))
    report = play(match, sandbox, bots, SUMS)
    assert answers(report) == [SOLVED[0], (False, 0, ending), SOLVED[2]]
    assert report.verdict.ending is Ending.COMPLETED
    assert report.verdict.at_fault == ()
    assert report.verdict.scores == (1.0, 0.0)
    assert report.seats[0].complaint.startswith("Instance 2: ")
    assert told in report.seats[0].complaint
    check_record(replay.decode(report.replay), SUMS)


@pytest.mark.parametrize(
    ("work", "told"),
    [
        ("return None", "Instance 1 is not solved: the bot gave up with null"),
        ("return {'x': 'y'}", 'not solved by {"x":"y"}: a solution is a list of places'),
        ("return 'rubbish'", 'not solved by "rubbish": a solution is a list of places'),
        ("return [0, 0]", "not solved by [0,0]: a place may be named once"),
        ("return [5]", "not solved by [5]: the numbers add up to"),
        ("return [0, 1]", "the numbers add up to"),  # of the next instance
        ("a = []\n    for _ in range(100): a = [a]\n    return a", "a list of places"),
    ],
)
def test_a_wrong_answer_is_no_fault(work: str, told: str, sandbox: Sandbox, bots: Path) -> None:
    report = play(job(bot(f"if number == 0: {work}" if "\n" not in work else work), house("pairs")),
                  sandbox, bots, SUMS)  # fmt: skip
    assert report.verdict.ending is Ending.COMPLETED
    assert report.verdict.at_fault == ()
    assert told in report.seats[0].complaint
    assert answers(report)[0] == (False, 0, None)


def test_the_bot_goes_on_after_a_wrong_answer_and_is_new_after_a_fault(
    sandbox: Sandbox, bots: Path
) -> None:
    """Its memory shows whether it is the same process."""
    code = b"""
import sys
asked = []
def agent(observation, configuration):
    asked.append(observation["number"])
    print(asked, file=sys.stderr)
    if observation["number"] == 1:
        raise ValueError
"""
    match = job(Entrant("bot", Kind.PYTHON, "", code), house("singles"))
    report = play(match, sandbox, bots, SUMS)
    said = [line for line in report.seats[0].stderr.splitlines() if line.startswith("[")]
    assert said == ["[0]", "[0, 1]", "[2]"]
    assert report.seats[0].moves == 3
    assert report.seats[0].cpu_ms > 0


@pytest.mark.parametrize(
    ("code", "ending"),
    [
        (b"agent =", Ending.START_FAILED),
        (b"def agent(o, c):\n    raise ValueError\n", Ending.CRASHED),
        (
            b"import sys\nfor i, _ in enumerate(sys.stdin):\n    i and print('{', flush=True)\n",
            Ending.BAD_REPLY,
        ),
        (b"raise ValueError\n", Ending.START_FAILED),
    ],
)
def test_only_faults_is_a_fault(code: bytes, ending: Ending, sandbox: Sandbox, bots: Path) -> None:
    match = job(Entrant("eve", Kind.PYTHON, "", code), house("gives-up"))
    report = play(match, sandbox, bots, SUMS)
    assert report.verdict.at_fault == (0,)
    assert report.verdict.ending is ending
    assert report.verdict.scores == (0.0, 1.0)  # worse than a bot that gives up
    assert report.explanation.startswith("eve ")
    assert report.seats[0].complaint
    check_record(replay.decode(report.replay), SUMS)


def test_all_at_fault(sandbox: Sandbox, bots: Path) -> None:
    report = play(job(bot("raise ValueError"), bot("1 / 0")), sandbox, bots, SUMS)
    assert (report.verdict.scores, report.verdict.at_fault) == ((0.0, 0.0), (0, 1))


def test_a_seat_sees_its_own_clock_and_nothing_of_the_others(sandbox: Sandbox, bots: Path) -> None:
    seen = bot("import sys, json\n    print(json.dumps(observation), file=sys.stderr)")
    report = play(job(seen, house("pairs"), seen), sandbox, bots, SUMS)
    told = [[msgspec.json.decode(line) for line in seat.stderr.splitlines()]
            for seat in report.seats]  # fmt: skip
    instances = SUMS.instances(3)
    for seat in (0, 2):
        assert [one["instance"] for one in told[seat]] == [SUMS.text(one) for one in instances]
        for number, one in enumerate(told[seat]):
            assert one.pop("clock_ms") <= 60_000
            assert one == {
                "game": "sums",
                "seat": seat,
                "number": number,
                "instances": 3,
                "instance": SUMS.text(instances[number]),
                "target": instances[number].target,
                "numbers": list(instances[number].numbers),
            }


def test_time_for_the_match_lasts_over_restarts(sandbox: Sandbox, bots: Path) -> None:
    """The first instance takes all the time, so the bot is not started for the others."""
    match = job(bot("while True: pass"), house("singles"), limits=Limits(1000, 300, wall_factor=50))
    report = play(match, sandbox, bots, SUMS)
    assert [ending for _, _, ending in answers(report)] == [Ending.MATCH_TIMEOUT] * 3
    assert report.seats[0].complaint == "Instance 1: The bot used up its 300 ms for the match."
    assert report.seats[0].moves == 1


def test_a_restarted_bot_has_the_rest_of_the_time(sandbox: Sandbox, bots: Path) -> None:
    work = (
        "import sys\n    print(configuration['limits']['match_ms'], file=sys.stderr)\n"
        "    while number == 0: pass"
    )
    match = job(bot(work), house("singles"), limits=Limits(300, 2000, wall_factor=50))
    report = play(match, sandbox, bots, SUMS)
    whole, left, same = (int(line) for line in report.seats[0].stderr.splitlines())
    assert (whole, same) == (2000, left)
    assert 1000 < left <= 1710
    assert answers(report) == [(False, 0, Ending.MOVE_TIMEOUT), *SOLVED[1:]]


def test_webassembly(sandbox: Sandbox, bots: Path) -> None:
    code = bytes(wasmtime.wat2wasm(WASM))
    match = job(Entrant("wasm", Kind.WASM, "", code), house("singles"))
    report = play(match, sandbox, bots, SUMS)
    assert answers(report) == [SOLVED[0], (False, 0, None), (False, 0, None)]
    assert report.verdict.scores == (0.5, 0.5)


def test_programs(bots: Path) -> None:
    class Programs:
        def player(self, text: str, seed: int) -> Any:
            return SUMS.house_bots[text](seed)

    class Programmable(Sums):
        programs = Programs()  # type: ignore[assignment]

    match = job(Entrant("bred", Kind.PROGRAM, "", b"pairs"), house("singles"))
    report = play(match, None, bots, Programmable())
    assert (answers(report), report.verdict.scores) == (SOLVED, (1.0, 0.0))


def test_our_own_player_that_fails_is_our_fault(bots: Path) -> None:
    class Broken(Sums):
        house_bots = MappingProxyType({"broken": lambda seed: None})  # type: ignore[assignment]

    with pytest.raises(RefereeFailure, match="our player failed"):
        play(job(house("broken"), house("broken")), None, bots, Broken())


def test_an_answer_that_crashes_the_checker_is_a_wrong_answer(sandbox: Sandbox, bots: Path) -> None:
    class Trips(Sums):
        def solution(self, instance: Any, answer: Any) -> Any:
            return 1 // (len(answer) - 1)

    report = play(job(bot(), house("gives-up")), sandbox, bots, Trips())
    assert "ZeroDivisionError" in report.seats[0].complaint
    assert report.verdict.ending is Ending.COMPLETED


def test_answers_that_no_replay_can_hold(
    sandbox: Sandbox, bots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(puzzles, "_ANSWERS_BYTES", 2 * 1000)
    report = play(job(bot("return 'x' * 600"), house("singles")), sandbox, bots, SUMS)
    assert [ending for _, _, ending in answers(report)] == [
        *(None, Ending.OUTPUT_FLOOD, Ending.OUTPUT_FLOOD)
    ]
    assert "longer than its record allows" in report.seats[0].complaint


def document_of(bots: Path) -> Replay:
    return replay.decode(play(job(house("singles"), house("pairs")), None, bots, SUMS).replay)


def test_forged_records_are_found(bots: Path) -> None:
    document = document_of(bots)
    check_record(document, SUMS)
    edit = msgspec.structs.replace
    (one, other), *rest = document.answers

    def forged(**changes: Any) -> Replay:
        return edit(document, answers=((edit(one, **changes), other), *rest))

    for wrong in (
        forged(solved=False, moves=0),
        forged(moves=7),
        forged(answer="[3]"),
        forged(answer="null"),
        forged(answer="not json"),
        forged(answer=None),
        forged(ending=Ending.CRASHED),
        edit(document, answers=document.answers[:2]),
        edit(document, answers=((one,), *rest)),
        edit(document, verdict=edit(document.verdict, scores=(1.0, 0.0))),
        edit(document, verdict=edit(document.verdict, at_fault=(1,))),
        edit(document, columns=document.columns[::-1]),
    ):
        with pytest.raises(BadReplay):
            check_record(wrong, SUMS)


def test_verification_names_the_instance(bots: Path) -> None:
    document = document_of(bots)
    again = play(job(house("pairs"), house("pairs")), None, bots, SUMS)
    assert "instance 2" in (replay.verify(document, again) or "")


@dataclass
class Scripted:
    """A seat with scripted answers; one instance per start."""

    told: list[Any]
    clock_ms: int = 100
    last_ms: float = 1.0
    last_idle_ms: float = 0.0
    idle_ms: float = 0.0
    load_ms: float = 0.0
    closed: int = 0
    load_fault: BotFault | None = None
    asked: list[Any] = field(default_factory=list)

    def load(self) -> BotFault | None:
        return self.load_fault

    def move(self, state: Any, view: Any) -> Any:
        self.asked.append(state)
        self.idle_ms += self.last_idle_ms
        return self.told.pop(0)

    def close(self) -> None:
        self.closed += 1

    def report(self, fault: BotFault | None) -> SeatReport:
        return SeatReport(2.0, 1.0, len(self.asked), stderr="said\n")


def seat_of(starts: Sequence[Scripted]) -> PuzzleSeat:
    waiting = iter(starts)
    return PuzzleSeat(lambda limits: next(waiting), Limits())


CRASH = BotFault(Ending.CRASHED, "It crashed.")


def test_a_bot_that_cannot_be_started_again_stays_down() -> None:
    first, second = Scripted([CRASH]), Scripted([], load_fault=BotFault(Ending.START_FAILED, "No."))
    seat = seat_of([first, second])
    assert seat.load() is None
    assert seat.move(1, dict) is CRASH
    seat.end()
    for _ in range(3):
        assert seat.move(2, dict).ending is Ending.START_FAILED
        seat.end()
    assert (first.closed, second.closed, second.asked) == (1, 1, [])
    report = seat.report(None)
    assert (report.cpu_ms, report.moves, report.stderr) == (4.0, 1, "said\nsaid\n")


def test_idle_time_counts_over_all_starts() -> None:
    """A bot that sleeps in every instance would get a new allowance with each start."""
    slow = BotFault(Ending.MOVE_TIMEOUT, "Too slow.")
    starts = [Scripted([slow], last_idle_ms=9_000.0) for _ in range(4)]
    seat = seat_of(starts)
    assert seat.load() is None
    endings = []
    for number in range(4):
        endings.append(seat.move(number, dict).ending)
        seat.end()
    assert endings == [Ending.MOVE_TIMEOUT, *[Ending.MATCH_TIMEOUT] * 3]
    assert [len(start.asked) for start in starts] == [1, 1, 0, 0]


def test_idle_time_of_loading_counts_over_all_starts() -> None:
    """Even if it answers at once, so that its last move was not idle."""
    starts = [Scripted([number, CRASH], idle_ms=6_000.0) for number in range(4)]
    seat = seat_of(starts)
    assert seat.load() is None
    endings = []
    for _ in range(4):
        answers = [seat.move(0, dict) for _ in range(2)]
        endings += [one.ending for one in answers if isinstance(one, BotFault)]
        seat.end()
    assert endings == [Ending.CRASHED] * 2 + [Ending.MATCH_TIMEOUT] * 4
    assert [len(start.asked) for start in starts] == [2, 2, 0, 0]


def test_only_the_first_start_is_free() -> None:
    """Otherwise a bot that crashes in every instance could load for seconds each time."""
    starts = [Scripted([CRASH], clock_ms=100 - 30 * n, load_ms=50.0) for n in range(4)]
    waiting, given = iter(starts), list[int]()

    def start(limits: Limits) -> Scripted:
        given.append(limits.match_ms)
        return next(waiting)

    seat = PuzzleSeat(start, Limits(match_ms=100))
    assert seat.load() is None
    endings = []
    for number in range(4):
        endings.append(seat.move(number, dict).ending)
        seat.end()
    assert given == [100, 100, 20]
    assert endings == [Ending.CRASHED] * 3 + [Ending.MATCH_TIMEOUT]


def test_contract_of_the_toy() -> None:
    """The tests above rely on it."""
    for seed in range(20):
        for instance, places in zip(SUMS.instances(seed), ([0], [0, 1], [0, 1]), strict=True):
            assert SUMS.solution(instance, places) == tuple(places)
            with pytest.raises(IllegalMove):
                SUMS.solution(instance, [2, 3, 4])


def test_the_pages_about_puzzles_are_true(sandbox: Sandbox, bots: Path) -> None:
    docs = Path(__file__).parents[2] / "docs"
    section = (docs / "bots.md").read_text().split("## Puzzles")[1].split("\n## ")[0]
    (code,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    sample = Entrant("sample", Kind.PYTHON, "", code.encode())
    report = play(job(sample, house("gives-up")), sandbox, bots, SUMS)
    assert report.verdict.scores == (0.5, 0.5)
    assert "problem 3 of 3" in report.seats[0].stderr
    text = (docs / "protocol.md").read_text()
    example = next(
        part for part in re.findall(r"```json\n(.*?)```", text, re.DOTALL) if "sums" in part
    )
    request, _, reply = example.strip().rpartition("\n")
    seen = msgspec.json.decode(request)["observation"]
    instance = SUMS.from_text(seen["instance"])
    assert SUMS.observation(instance).items() <= seen.items()
    assert SUMS.solution(instance, msgspec.json.decode(reply)["move"])
    assert f"{puzzles._ANSWERS_BYTES >> 20} MiB" in text
