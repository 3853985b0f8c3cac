"""Uploaded tanks in the sandbox: their imports, slow answers, and bad orders."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from ladder.runner import replay
from ladder.runner.referee import play
from ladder.runner.sandbox import Sandbox
from ladder.values import Ending, Entrant, Kind, Limits, MatchJob, MatchReport

ROBOT = """
import time
from tanks import Robot

def burn(ms):
    end = time.process_time() + ms / 1000
    while time.process_time() < end:
        pass

class Tank(Robot):
{body}

agent = Tank.agent
"""
STILL = ROBOT.format(body="    pass").encode()
SLOW_ONCE = ROBOT.format(
    body="""
    def on_turn(self):
        if self.time == 5:
            burn(90)

    def on_skipped_turn(self, event):
        print("skipped", event.turns, "at", self.time)
"""
).encode()
ALWAYS_SLOW = ROBOT.format(
    body="""
    def on_turn(self):
        self.set_turn_gun_right(20)
        burn(650)
"""
).encode()
RAISES = ROBOT.format(
    body="""
    def on_turn(self):
        self.set_ahead("far")
"""
).encode()
LOOPS = b"def agent(observation, configuration):\n    while True:\n        pass\n"


def match(*codes: bytes, game: str = "tanks", house: str = "SittingDuck") -> MatchJob:
    seats = tuple(Entrant(f"bot {n}", Kind.PYTHON, "0" * 64, code) for n, code in enumerate(codes))
    if len(seats) < 2:
        seats += (Entrant(house, Kind.HOUSE, "1" * 64),)
    return MatchJob(1, 1, game, 3, seats, Limits(wall_factor=30), {"rounds": 1})


def answer(order: str) -> bytes:
    return f"def agent(observation, configuration):\n    return {order}\n".encode()


def test_a_robot_imports_what_the_game_offers(sandbox: Sandbox, bots: Path) -> None:
    first, second = (play(match(STILL), sandbox, bots) for _ in range(2))
    assert first.verdict.ending is Ending.COMPLETED, first.seats[0]
    # Nobody does anything: the first zap falls in turn 452, and a thousand more empty a tank.
    assert first.plies == 452 + 1000 + 150
    document = replay.decode(first.replay)
    assert document.viewer == "tanks"
    assert replay.verify(document, second) is None
    assert [seat.columns for seat in first.seats] == list(document.columns)
    assert set(first.seats[0].columns) == {
        *("score", "survival", "lastSurvivorBonus", "bulletDamage", "bulletBonus"),
        *("ramDamage", "ramBonus", "firsts", "seconds", "thirds"),
    }


@pytest.mark.parametrize("name", ["tanks.py", "tanks.py/readme", "tanks/__init__.py"])
def test_a_bot_may_have_a_module_of_that_name(name: str, sandbox: Sandbox, bots: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, "mine = True")
        archive.writestr("bot.py", "import tanks\nagent = lambda o, c: tanks.mine and []")
    report = play(match(packed.getvalue()), sandbox, bots)
    ending = Ending.START_FAILED if name.endswith("readme") else Ending.COMPLETED
    assert report.verdict.ending is ending, report.seats[0]


def test_errors_are_reported_where_the_bot_made_them(sandbox: Sandbox, bots: Path) -> None:
    report = play(match(RAISES), sandbox, bots)
    assert report.verdict.ending is Ending.CRASHED
    assert report.verdict.scores == (0.0, 1.0)
    assert "bot.py line 13: ValueError" in report.seats[0].complaint


def test_slow_answers_miss_turns(sandbox: Sandbox, bots: Path) -> None:
    report = play(match(SLOW_ONCE), sandbox, bots)
    assert report.verdict.ending is Ending.COMPLETED
    (line,) = report.seats[0].stderr.splitlines()
    _, missed, _, time = line.split()
    # It used 90 ms and the time of an ordinary turn; a turn lasts 20 ms.
    assert 4 <= int(missed) <= 20
    assert int(time) == 5 + int(missed) + 1


def test_a_tank_that_is_always_slow_loses_the_round(sandbox: Sandbox, bots: Path) -> None:
    report = play(match(ALWAYS_SLOW), sandbox, bots)
    assert report.verdict.ending is Ending.COMPLETED, report.seats[0]
    assert report.verdict.at_fault == ()
    assert report.verdict.scores == (0.0, 1.0)
    assert report.seats[0].moves == 1
    assert report.seats[1].columns["firsts"] == 1


def _fault(report: MatchReport) -> tuple[Ending, tuple[int, ...], tuple[float, ...]]:
    verdict = report.verdict
    return verdict.ending, verdict.at_fault, verdict.scores


@pytest.mark.parametrize(
    ("code", "ending"),
    [
        (LOOPS, Ending.MOVE_TIMEOUT),
        (answer("[['fly', 1]]"), Ending.ILLEGAL_MOVE),
        (answer("[['set_ahead', 'far']]"), Ending.ILLEGAL_MOVE),
        (answer("[['set_ahead', 10 ** 400]]"), Ending.BAD_REPLY),
        (answer("'set_ahead'"), Ending.ILLEGAL_MOVE),
        (answer("[['set_ahead', float('nan')]]"), Ending.BAD_REPLY),
        (answer("[['scan']] * 9000"), Ending.OUTPUT_FLOOD),
    ],
    ids=["loops", "unknown", "text", "huge", "no-list", "nan", "flood"],
)
def test_bad_orders_are_faults(code: bytes, ending: Ending, sandbox: Sandbox, bots: Path) -> None:
    assert _fault(play(match(code), sandbox, bots)) == (ending, (0,), (0.0, 1.0))


@pytest.mark.parametrize("number", ["'NaN'", "'Infinity'", "-1e308", "10 ** 200"])
def test_odd_numbers_are_taken(number: str, sandbox: Sandbox, bots: Path) -> None:
    names = ("set_ahead", "set_turn_right", "set_turn_gun_left", "set_max_velocity", "set_fire")
    code = answer(f"[[name, {number}] for name in {names}]")
    report = play(match(code, house="SpinBot"), sandbox, bots)
    assert report.verdict.ending is Ending.COMPLETED, report.seats[0]


def test_the_others_of_a_melee_fight_on(sandbox: Sandbox, bots: Path) -> None:
    job = match(RAISES, STILL, answer("None"), game="tanks-melee")
    report = play(job, sandbox, bots)
    assert report.verdict.at_fault == (0,)
    assert report.verdict.ranks[0] == 3
    assert report.verdict.ending is Ending.CRASHED


def test_house_bots_fight_without_a_sandbox(bots: Path) -> None:
    names = ("Walls", "Corners", "Crazy", "Fire")
    seats = tuple(Entrant(name, Kind.HOUSE, "1" * 64) for name in names)
    reports = [
        play(MatchJob(1, 1, "tanks-melee", 3, seats, options={"rounds": 2}), None, bots)
        for _ in range(2)
    ]
    assert reports[0].verdict == reports[1].verdict
    assert reports[0].plies > 500
    assert sum(seat.columns["firsts"] for seat in reports[0].seats) >= 2
