"""Simulations that do not wait: late orders of seats that only report a time."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from ladder.runner.bot_process import BotFault
from ladder.runner.gameplay import MatchInPlay, play_match
from ladder.runner.seats import View
from ladder.values import Entrant, Kind, MatchJob, SeatReport
from tests.engines.toys import TugOfWar


class Hurried(TugOfWar):
    turn_ms = 10


class Jumpy(Hurried):
    """Plays three turns by itself after the fourth one."""

    def step(self, state: Any, orders: Any) -> Any:
        state = super().step(state, orders)
        for _ in range(3 if len(state.course) == 4 else 0):
            state = super().step(state, [0, 0])
        return state


@dataclass
class Slow:
    """Pulls 1 at every turn, and reports these times for its answers, one after the other."""

    times_ms: list[float]
    asked_at: list[int] = field(default_factory=list)
    last_ms: float = 0.0
    last_idle_ms: float = 0.0
    clock_ms: int = 1000
    sleeps: bool = False
    """Whether it sleeps in these times instead of working."""

    def load(self) -> BotFault | None:
        return None

    def move(self, state: Any, view: View) -> Any:
        self.asked_at.append(view()["turn"])
        took_ms = self.times_ms.pop(0) if self.times_ms else 0.0
        self.last_ms, self.last_idle_ms = (0.0, took_ms) if self.sleeps else (took_ms, 0.0)
        return 1

    def close(self) -> None: ...

    def report(self, fault: BotFault | None) -> SeatReport:
        return SeatReport(0, 0, 0)


def pulls(game: TugOfWar, seat: Slow, kind: Kind = Kind.PYTHON) -> list[int]:
    """The pulls of the first seat, turn by turn; its strength suffices for all of them."""
    entrants = (Entrant("slow", kind, ""), Entrant("quick", Kind.PYTHON, ""))
    job = MatchJob(1, 1, game.name, 3, entrants, options={"steps": 8})
    record = play_match(game, MatchInPlay(job, [seat, Slow([])]))
    assert record.plies == 8
    assert record.data is not None
    return [turn[0] for turn in json.loads(record.data)]


@pytest.mark.parametrize(
    ("times_ms", "pulled", "asked_at"),
    [
        ([9.9], [1, 1, 1, 1], [0, 1, 2, 3]),
        ([10], [0, 1, 1, 1], [0, 2, 3]),
        ([0, 25], [1, 0, 0, 1], [0, 1, 4]),
        ([10, 10], [0, 1, 0, 1], [0, 2, 4]),
    ],
)
def test_an_answer_misses_one_turn_per_turn_of_time(
    times_ms: list[float], pulled: list[int], asked_at: list[int]
) -> None:
    for sleeps in (False, True):
        seat = Slow(list(times_ms), sleeps=sleeps)
        assert pulls(Hurried(), seat)[:4] == pulled
        assert seat.asked_at[: len(asked_at)] == asked_at


def test_others_wait_and_house_bots_are_never_late() -> None:
    assert pulls(TugOfWar(), Slow([99]))[:3] == [1, 1, 1]
    assert pulls(Hurried(), Slow([99]), Kind.HOUSE)[:3] == [1, 1, 1]


def test_a_late_order_does_not_outlast_a_break() -> None:
    seat = Slow([0, 0, 50])
    assert pulls(Jumpy(), seat) == [1, 1, 0, 0, 0, 0, 0, 1]
    assert seat.asked_at == [0, 1, 2, 7]
