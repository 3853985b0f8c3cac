"""Replays recorded traces of the real engine, turn by turn, and reports differences."""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from engines.games.tanks import commands, entry, layout
from engines.games.tanks.battle import columns, seat_bot
from engines.games.tanks.program import new_seat_programs
from engines.games.tanks.roster import BOTS

NO_PROGRAMS = new_seat_programs([])

TOLERANCE = 1e-9
STATES = ("ACTIVE", "HIT_WALL", "HIT_ROBOT", "DEAD")
BULLET_STATES = ("FIRED", "MOVING", "HIT_VICTIM", "HIT_BULLET", "HIT_WALL")
SCORES = (
    "survival",
    "last_survivor",
    "bullet_damage",
    "bullet_bonus",
    "ram_damage",
    "ram_bonus",
)
EVENT_NAMES = {
    layout.WIN: "win",
    layout.ROBOT_DEATH: "robotDeath",
    layout.BULLET_MISSED: "miss",
    layout.BULLET_HIT_BULLET: "bulletBullet",
    layout.BULLET_HIT: "bulletHit",
    layout.HIT_BY_ROBOT: "ram",
    layout.HIT_BY_WALL: "wall",
    layout.HIT_BY_BULLET: "hitBy",
    layout.SCANNED: "scan",
}
TANK_FIELDS = {
    "x": "x",
    "y": "y",
    "bh": "body",
    "gh": "gun",
    "rh": "radar",
    "v": "velocity",
    "e": "energy",
    "heat": "heat",
}
EVENT_FIELDS = {
    "bearing": "bearing",
    "dist": "distance",
    "heading": "heading",
    "v": "velocity",
    "energy": "energy",
    "power": "power",
}


def number(value: Any) -> float:
    """Java's infinities come as strings."""
    return float(value)


class TraceReplay:
    """One trace, and the world that must match it."""

    def __init__(self, path: Path) -> None:
        with gzip.open(path, "rt") as file:
            self.lines = [json.loads(line) for line in file]
        self.header = self.lines[0]
        self.robots = self.header["robots"]
        self.names = [
            robot["name"] + ("" if robot["kind"] == "bot" else "*") for robot in self.robots
        ]
        self.worst = 0.0
        """The largest accepted difference between two numbers."""
        self.hits: set[tuple[int, int]] = set()
        """Bullets whose end has been reported; the engine goes on listing them."""
        self.scores: dict[int, list[float]] = {}
        """Score columns by robot; traces contain them only when they change."""
        self.given: list[list[bool]] = []
        self.strangers = [
            robot["name"]
            for robot in self.robots
            if robot["kind"] == "bot" and robot["name"].removeprefix("sample.") not in BOTS
        ]
        """Robots without an implementation here: the trace cannot be replayed."""
        if self.strangers:
            return
        self.worlds = self._new_worlds()
        self.tanks = self.worlds["tanks"][0, : len(self.robots)]

    def _new_worlds(self) -> Any:
        header = self.header
        width, height = header["field"]
        worlds = layout.new_worlds(
            len(self.robots),
            width,
            height,
            header["rounds"],
            header["gunCoolingRate"],
            header["inactivityTime"],
        )
        worlds["fixed"] = True
        for index, robot in enumerate(self.robots):
            degrees = robot["headingDeg"]
            worlds["starts"][0, index] = robot["x"], robot["y"], degrees * 0.017453292519943295
            if robot["kind"] == "bot":
                seat_bot(worlds, index, BOTS[robot["name"].removeprefix("sample.")])
            else:
                worlds["tanks"]["advanced"][0, index] = robot["kind"] == "AdvancedRobot"
        return worlds

    def run(self) -> None:
        """Play it all; raises `AssertionError` at the first difference."""
        turns = [line for line in self.lines if "robots" in line and line.get("type") != "results"]
        turns = turns[1:]  # without the header
        for place, line in enumerate(turns):
            following = turns[place + 1] if place + 1 < len(turns) else None
            if line.get("type") == "start":
                self._start(line["round"])
            else:
                entry.play(self.worlds)
                self._check_fired(line)
            self._check_tanks(line)
            events = list(self._wake(following))
            self._check_bullets(line)
            self._check_events(line, events)
            self._give(following)
        self._check_results()

    def _start(self, number: int) -> None:
        if number == 0:
            entry.begin(self.worlds, self.header["seed"])
        else:
            entry.begin_round(self.worlds)
        self.hits.clear()

    def _scripted(self, index: int) -> bool:
        return bool(self.robots[index]["kind"] != "bot")

    def _wake(self, following: Any) -> Iterator[list[Any]]:
        for index in range(len(self.robots)):
            if not self._scripted(index):
                entry.think(self.worlds, index, NO_PROGRAMS)
                yield []
                continue
            events = []
            if entry.asked(self.worlds, index):
                entry.open_queue(self.worlds, index)
                while self.tanks[index]["queued"]:
                    event = self.worlds["queues"][0, index, 0].copy()
                    if event["kind"] in EVENT_NAMES:
                        events.append(event)
                    entry.hand_out(self.worlds, index)
                    if event["kind"] == layout.SCANNED and self._fires(index, following):
                        break  # the handler of a plain Robot blocks in its shot
            yield events

    def _fires(self, index: int, following: Any) -> bool:
        if self.robots[index]["kind"] != "Robot" or following is None:
            return False
        return any(name == "fire" for name, *_ in following["robots"][index].get("cmd", []))

    def _give(self, following: Any) -> None:
        """The orders at the end of this line, according to the next one."""
        self.given = []
        for index in range(len(self.robots)):
            accepted: list[bool] = []
            if following and "type" not in following and self._scripted(index):
                given = following["robots"][index].get("cmd", [])
                if entry.asked(self.worlds, index):
                    codes, values = _encode(given)
                    refused = entry.give(self.worlds, index, codes, values)
                    accepted = [not refused >> place & 1 for place in range(len(given))]
            self.given.append(accepted)

    def _check_fired(self, line: Any) -> None:
        for robot, accepted in zip(line["robots"], self.given, strict=True):
            for command, taken in zip(robot.get("cmd", []), accepted, strict=False):
                if command[0] == "setFire":
                    assert taken == (command[2] is not None), (line["t"], command)

    def _close(self, what: Any, ours: float, theirs: Any) -> None:
        wanted = number(theirs)
        if ours == wanted or (math.isnan(ours) and math.isnan(wanted)):
            return
        difference = abs(ours - wanted)
        assert difference <= TOLERANCE, f"{what}: {ours!r}, not {wanted!r}"
        self.worst = max(self.worst, difference)

    def _check_tanks(self, line: Any) -> None:
        for index, (robot, tank) in enumerate(zip(line["robots"], self.tanks, strict=True)):
            where = (line["t"], index)
            assert STATES[tank["state"]] == robot["s"], (*where, STATES[tank["state"]])
            for theirs, ours in TANK_FIELDS.items():
                self._close((*where, ours), tank[ours], robot[theirs])
            remaining = robot.get("rem", 0) or [0, 0, 0, 0]
            if self.robots[index]["kind"] == "AdvancedRobot" and "rem" in robot:
                for name, value in zip(
                    ("distance", "turn", "gun_turn", "radar_turn"), remaining, strict=True
                ):
                    self._close((*where, name), tank[name], value)
            if "sc" in robot:
                self.scores[index] = robot["sc"]
            for name, value in zip(SCORES, self.scores[index], strict=True):
                self._close((*where, name), tank[name], value)

    def _check_bullets(self, line: Any) -> None:
        world = self.worlds[0]
        ours = []
        for slot in world["listed"][: world["count"]]:
            bullet = world["bullets"][slot]
            if bullet["state"] == layout.EXPLODED:
                continue
            key = (int(bullet["owner"]), int(bullet["number"]))
            if bullet["state"] > layout.MOVING:
                if key in self.hits:
                    continue
                self.hits.add(key)
            ours.append(bullet)
        theirs = line.get("bullets", [])
        assert len(ours) == len(theirs), (line["t"], "bullets", len(ours), len(theirs))
        for bullet, wanted in zip(ours, theirs, strict=True):
            where = (line["t"], "bullet", wanted["id"])
            assert (bullet["number"], bullet["owner"]) == (wanted["id"], wanted["o"]), where
            assert BULLET_STATES[bullet["state"]] == wanted["s"], where
            if "victim" in wanted:
                assert bullet["victim"] == wanted["victim"], where
            for name in ("power", "x", "y", "heading"):
                self._close((*where, name), bullet[name], wanted[name[0]])

    def _check_events(self, line: Any, events: list[list[Any]]) -> None:
        for index, (robot, ours) in enumerate(zip(line["robots"], events, strict=True)):
            if not self._scripted(index) or robot["s"] == "DEAD":
                continue
            theirs = robot.get("ev", [])
            kinds = [EVENT_NAMES[int(event["kind"])] for event in ours]
            assert kinds == [event["e"] for event in theirs], (line["t"], index, kinds)
            for event, wanted in zip(ours, theirs, strict=True):
                self._check_event((line["t"], index), event, wanted)

    def _check_event(self, where: Any, event: np.void, wanted: Any) -> None:
        for theirs, name in EVENT_FIELDS.items():
            if theirs in wanted:
                self._close((*where, wanted["e"], name), event[name], wanted[theirs])
        if "name" in wanted:
            assert self.names[event["other"]] == wanted["name"], (where, wanted)
        if "fault" in wanted:
            assert bool(event["fault"]) == wanted["fault"], (where, wanted)
        if "other" in wanted:
            self._close((*where, "other power"), event["energy"], wanted["other"])
        if "otherOwner" in wanted:
            assert self.names[event["other"]] == wanted["otherOwner"], (where, wanted)

    def _check_results(self) -> None:
        for line in self.lines:
            if line.get("type") == "results":
                for wanted, tank in zip(line["robots"], self.tanks, strict=True):
                    check_columns(tank, wanted)


def check_columns(tank: np.void, wanted: Any) -> None:
    """Compare a tank's score columns with those that the engine reported."""
    assert columns(tank) == {name: wanted[name] for name in columns(tank)}, wanted["name"]


def _encode(given: list[Any]) -> tuple[Any, Any]:
    """A turn's calls as our commands, without calls that only pass the time."""
    encoded = []
    for call, *arguments in given:
        name = re.sub("([A-Z])", lambda match: "_" + match[0].lower(), call)
        if name in ("do_nothing", "execute"):
            continue
        if not name.startswith("set") and name not in commands.PLAIN:
            name = f"set_{name}"
        numbers = [each if isinstance(each, bool) else number(each) for each in arguments[:1]]
        encoded.append(commands.encode([name, *numbers]))
    codes = np.array([code for code, _ in encoded], np.int64)
    return codes, np.array([value for _, value in encoded], np.float64)
