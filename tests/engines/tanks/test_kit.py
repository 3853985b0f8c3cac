"""The class `Robot` that bots import, played against the simulator without a sandbox."""

from __future__ import annotations

import ast
import json
import math
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

from engines.games.tanks import TANKS, TANKS_MELEE, kit
from engines.games.tanks.commands import NUMERIC, PLAIN, SWITCHES
from engines.games.tanks.kit import PRIORITIES, Event, Robot
from engines.games.tanks.simulation import Battle, Tanks


def turn(game: Tanks, state: Battle, robot: type[Robot], others: list[Any]) -> Battle:
    """One turn of a robot in the first seat, its messages going through JSON."""
    seen = game.observe(state, 0)
    if seen is None:
        return game.step(state, [None, *others])
    text = json.dumps(seen | {"seat": 0}, allow_nan=False)
    reply = robot.agent(json.loads(text), {"seed": 1})
    reply = json.loads(json.dumps(reply, allow_nan=False))
    return game.step(state, [game.order(state, 0, reply), *others])


def fight(robot: type[Robot], opponent: str, rounds: int = 1, seed: int = 1) -> Battle:
    state = TANKS.start(seed, 2, {"rounds": rounds})
    other = TANKS.house_bots[opponent](0)
    while TANKS.outcome(state) is None:
        state = turn(TANKS, state, robot, [other])
    return state


def test_it_needs_the_standard_library_alone() -> None:
    tree = ast.parse(Path(kit.__file__).read_text())
    names = {
        alias.name if isinstance(node, ast.Import) else str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def test_every_order_has_a_setter_and_every_event_a_handler() -> None:
    for command in (*NUMERIC, *SWITCHES, *PLAIN):
        assert callable(getattr(Robot, command)), command
    for event in PRIORITIES:
        assert callable(getattr(Robot, f"on_{event}")), event


class EventRecorder(Robot):
    """Fights a little, and records its events."""

    told: ClassVar[list[tuple[int, int, str]]] = []
    rounds_started = 0

    def run(self) -> None:
        type(self).rounds_started += 1
        self.fresh = True
        self.set_ahead(math.inf)

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("on_"):
            robot = self

            def note(event: Event | None = None) -> None:
                robot.told.append((robot.round, robot.time, name))

            if name == "on_scanned_robot":

                def shoot(event: Event) -> None:
                    note()
                    aim = robot.heading + event.bearing - robot.gun_heading
                    robot.set_turn_gun_right(kit.normal_relative_angle(aim))
                    robot.set_fire(3)

                return shoot
            return note
        return super().__getattribute__(name)


def test_a_battle_from_its_start_to_its_end() -> None:
    class Fighter(EventRecorder):
        told: ClassVar[list[tuple[int, int, str]]] = []

    fight(Fighter, "RamFire", rounds=3)
    assert Fighter.rounds_started == 3
    names = {name for _, _, name in Fighter.told}
    assert {"on_status", "on_turn", "on_hit_wall", "on_hit_robot", "on_hit_by_bullet"} <= names
    for number in range(3):
        told = [(time, name) for round_number, time, name in Fighter.told if round_number == number]
        assert told[:2] == [(0, "on_status"), (0, "on_turn")]
        died = [place for place, (_, name) in enumerate(told) if name == "on_death"]
        won = any(name == "on_win" for _, name in told)
        assert bool(died) != won
        if died:
            assert told[died[0] :] == [told[died[0]], (told[died[0]][0], "on_turn")]
        by_turn: dict[int, list[str]] = {}
        for time, name in told:
            by_turn.setdefault(time, []).append(name.removeprefix("on_"))
        for handled in by_turn.values():
            assert handled[-1] == "turn"
            priorities = [PRIORITIES[name] for name in handled[:-1]]
            assert priorities == sorted(priorities, reverse=True)


def seen(**changes: Any) -> dict[str, Any]:
    first = TANKS.observe(TANKS.start(1, 2, {}), 0)
    assert first is not None
    return first | {"seat": 0} | changes


def test_getters_show_what_was_ordered() -> None:
    class Asker(Robot):
        def run(self) -> None:
            self.set_ahead(math.inf)
            self.set_turn_left(90)
            self.set_turn_gun_right_radians(1)
            self.set_turn_radar_left(45)
            assert self.distance_remaining == math.inf
            assert math.isclose(self.turn_remaining, -90)
            assert self.gun_turn_remaining_radians == 1
            assert math.isclose(self.radar_turn_remaining_radians, -math.pi / 4)
            assert not self.set_fire(3), "the gun is hot at first"
            self.set_stop()
            assert self.turn_remaining == 0
            self.gun_heat = 0
            assert self.set_fire(9)
            assert (self.energy, self.gun_heat) == (97, 1.6)
            assert not self.set_fire(1)

    orders = Asker.agent(seen(), {})
    assert ["set_ahead", "Infinity"] in orders
    assert ["set_turn_left", 90.0] in orders


def test_infinite_remainders_come_back_as_numbers() -> None:
    class Driver(Robot):
        def on_turn(self) -> None:
            assert self.distance_remaining == -math.inf

    Driver.agent(seen(distance_remaining="-Infinity"), {})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e308, -0.0], ids=repr)
def test_odd_numbers_are_orders(number: float) -> None:
    class Odd(Robot):
        def run(self) -> None:
            for command in NUMERIC:
                getattr(self, command)(number)

    reply = json.loads(json.dumps(Odd.agent(seen(), {}), allow_nan=False))
    assert len(TANKS.order(None, 0, reply)) == len(NUMERIC)  # type: ignore[arg-type]


def test_nan_is_an_error_of_the_bot() -> None:
    class Wrong(Robot):
        def run(self) -> None:
            self.set_ahead("far")  # type: ignore[arg-type]

    with pytest.raises(ValueError, match="far"):
        Wrong.agent(seen(), {})


def test_every_round_creates_new_objects() -> None:
    class Counter(Robot):
        rounds_seen: ClassVar[list[int]] = []

        def __init__(self) -> None:
            self.turns = 0

        def on_turn(self) -> None:
            self.turns += 1
            if self.time == 0:
                self.rounds_seen.append(self.round)
                assert self.turns == 1

    for number in (0, 1, 2):
        for time in range(3):
            Counter.agent(seen(round=number, time=time), {})
    assert Counter.rounds_seen == [0, 1, 2]


def test_skipped_turns_are_reported() -> None:
    class Sleeper(Robot):
        skipped: ClassVar[list[int]] = []

        def on_skipped_turn(self, event: Any) -> None:
            self.skipped.append(event.turns)

    for time in (0, 1, 2, 5, 6):
        Sleeper.agent(seen(time=time), {})
    assert Sleeper.skipped == [2]


def test_priorities_can_be_changed() -> None:
    class Picky(Robot):
        order: ClassVar[list[str]] = []

        def run(self) -> None:
            self.set_event_priority("scanned_robot", 90)
            for fixed in ("win", "death", "birth"):
                with pytest.raises(ValueError, match=fixed):
                    self.set_event_priority(fixed, 3)

        def on_scanned_robot(self, event: Any) -> None:
            self.order.append("scanned_robot")

        def on_hit_wall(self, event: Any) -> None:
            self.order.append(f"hit_wall {event.bearing:.0f}")

    events = [
        {"event": "hit_wall", "time": 0, "bearing_radians": math.pi / 2},
        {"event": "scanned_robot", "time": 0},
    ]
    Picky.agent(seen(events=events), {})
    assert Picky.order == ["scanned_robot", "hit_wall 90"]


def test_angles() -> None:
    assert kit.normal_relative_angle(190) == -170
    assert kit.normal_relative_angle(180) == -180
    assert kit.normal_absolute_angle(-10) == 350
    assert "scanned" in repr(Event({"event": "scanned_robot"}))


def test_deaths_in_a_melee_are_reported_once() -> None:
    class Martyr(Robot):
        deaths: ClassVar[list[tuple[int, int]]] = []

        def on_death(self, event: Any) -> None:
            self.deaths.append((self.round, self.others))

    state = TANKS_MELEE.start(3, 5, {"rounds": 2})
    others = [TANKS_MELEE.house_bots[name](0) for name in ("Walls", "Tracker", "SpinBot", "Fire")]
    while TANKS_MELEE.outcome(state) is None:
        state = turn(TANKS_MELEE, state, Martyr, others)
    assert [number for number, _ in Martyr.deaths] == [0, 1]
    assert all(1 <= others <= 4 for _, others in Martyr.deaths)
