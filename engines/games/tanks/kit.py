"""Robots with an interface like Robocode's. Bots import this as `tanks`: `from tanks import Robot`.

It runs inside the sandbox, next to the bot. It turns messages of the server into calls of handlers,
and calls of setters into commands for the server. All rules are on the server. It uses only the
standard library.

Angles are degrees, or radians if the name says so; 0 is north, and they grow clockwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

__all__ = ["Event", "Robot", "normal_absolute_angle", "normal_relative_angle"]

__tracebackhide__ = True
"""Tracebacks end in the bot's own code, not here."""

PRIORITIES = {
    "win": 100,
    "skipped_turn": 100,
    "status": 99,
    "robot_death": 70,
    "bullet_missed": 60,
    "bullet_hit_bullet": 55,
    "bullet_hit": 50,
    "hit_robot": 40,
    "hit_wall": 30,
    "hit_by_bullet": 20,
    "scanned_robot": 10,
    "death": -1,
}
"""Events of one turn are handled in this order; `Robot.set_event_priority` changes it."""

_STATUS = (
    "round",
    "rounds",
    "time",
    "others",
    "width",
    "height",
    "cooling",
    "x",
    "y",
    "heading_radians",
    "gun_heading_radians",
    "radar_heading_radians",
    "velocity",
    "energy",
    "gun_heat",
)
_REMAINDERS = (
    "distance_remaining",
    "turn_remaining_radians",
    "gun_turn_remaining_radians",
    "radar_turn_remaining_radians",
)
_FIXED = ("win", "skipped_turn", "death")
_ODD = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_DEGREES = 180 / math.pi
_RADIANS = math.pi / 180


def normal_relative_angle(degrees: float) -> float:
    """The same angle, at least -180 and below 180."""
    return (degrees + 180) % 360 - 180


def normal_absolute_angle(degrees: float) -> float:
    """The same angle, at least 0 and below 360."""
    return degrees % 360


class Event:
    """An event of the battle. It has the fields that docs/tanks.md lists for its kind.

    Every field in radians also exists in degrees: `bearing`, `heading`.
    """

    event: str
    time: int
    bearing_radians: float
    heading_radians: float

    def __init__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)

    def __repr__(self) -> str:
        return f"Event({self.__dict__})"

    @property
    def bearing(self) -> float:
        return self.bearing_radians * _DEGREES

    @property
    def heading(self) -> float:
        return self.heading_radians * _DEGREES


def _degrees(name: str, says: str) -> property:
    """The attribute `name`, converted from radians to degrees."""
    return property(lambda self: getattr(self, name) * _DEGREES, doc=says)


def _turns(command: str, field: str, sign: int, factor: float) -> Callable[[Robot, float], None]:
    """A setter of the angle in `field`. Disabled robots cannot turn their body."""
    disables = field == "turn_remaining_radians"

    def turn(self: Robot, angle: float) -> None:
        value = self._order(command, angle)
        if self.energy > 0 or not disables:
            setattr(self, field, sign * factor * value)

    turn.__name__ = command
    return turn


def _switch(command: str) -> Callable[[Robot, bool], None]:
    def switch(self: Robot, on: bool) -> None:
        self._orders.append([command, bool(on)])

    switch.__name__ = command
    return switch


class Robot:
    """Subclass it, override handlers, and name the agent: `agent = MyRobot.agent`.

    As in Robocode, every round creates a new object; class attributes last for the match. No call
    waits: setters give orders for the coming turn, which is played when all handlers of this turn
    have returned.
    """

    # Its own state. After an order it shows the order.
    round: int
    rounds: int
    time: int
    others: int
    width: int
    height: int
    cooling: float
    x: float
    y: float
    heading_radians: float
    gun_heading_radians: float
    radar_heading_radians: float
    velocity: float
    energy: float
    gun_heat: float
    distance_remaining: float
    turn_remaining_radians: float
    gun_turn_remaining_radians: float
    radar_turn_remaining_radians: float
    name: int
    """Its seat, which is its name in events."""
    configuration: dict[str, Any]

    heading = _degrees("heading_radians", "Direction of the body.")
    gun_heading = _degrees("gun_heading_radians", "Direction of the gun.")
    radar_heading = _degrees("radar_heading_radians", "Direction of the radar.")
    turn_remaining = _degrees(
        "turn_remaining_radians", "Remaining turn of the body, right if positive."
    )
    gun_turn_remaining = _degrees("gun_turn_remaining_radians", "Remaining turn of the gun.")
    radar_turn_remaining = _degrees("radar_turn_remaining_radians", "Remaining turn of the radar.")

    _orders: list[list[Any]]
    _priorities: dict[str, int] | None = None
    _playing: dict[type[Robot], Robot] = {}  # noqa: RUF012 - the robot of this round, by class

    # Handlers, for subclasses to override.

    def run(self) -> None:
        """Called once, when the round starts."""

    def on_turn(self) -> None:
        """Called every turn, after the events: like the loop of a `run` in Robocode."""

    def on_status(self, event: Event) -> None:
        """Called every turn, before most events."""

    def on_scanned_robot(self, event: Event) -> None: ...

    def on_hit_by_bullet(self, event: Event) -> None: ...

    def on_hit_robot(self, event: Event) -> None: ...

    def on_hit_wall(self, event: Event) -> None: ...

    def on_bullet_hit(self, event: Event) -> None: ...

    def on_bullet_hit_bullet(self, event: Event) -> None: ...

    def on_bullet_missed(self, event: Event) -> None: ...

    def on_robot_death(self, event: Event) -> None: ...

    def on_win(self, event: Event) -> None: ...

    def on_death(self, event: Event) -> None:
        """Called in the turn of its own death. Later orders have no effect."""

    def on_skipped_turn(self, event: Event) -> None:
        """Called after it missed `event.turns` turns because it was too slow."""

    # Orders. They hold until changed, except shots and scans, which are for one turn.

    def set_ahead(self, distance: float) -> None:
        """Drive this many pixels, backwards if negative."""
        value = self._order("set_ahead", distance)
        if self.energy > 0:
            self.distance_remaining = value

    def set_back(self, distance: float) -> None:
        self.set_ahead(-distance)

    set_turn_right = _turns("set_turn_right", "turn_remaining_radians", 1, _RADIANS)
    set_turn_left = _turns("set_turn_left", "turn_remaining_radians", -1, _RADIANS)
    set_turn_right_radians = _turns("set_turn_right_radians", "turn_remaining_radians", 1, 1)
    set_turn_left_radians = _turns("set_turn_left_radians", "turn_remaining_radians", -1, 1)

    _GUN = "gun_turn_remaining_radians"
    set_turn_gun_right = _turns("set_turn_gun_right", _GUN, 1, _RADIANS)
    set_turn_gun_left = _turns("set_turn_gun_left", _GUN, -1, _RADIANS)
    set_turn_gun_right_radians = _turns("set_turn_gun_right_radians", _GUN, 1, 1)
    set_turn_gun_left_radians = _turns("set_turn_gun_left_radians", _GUN, -1, 1)

    _RADAR = "radar_turn_remaining_radians"
    set_turn_radar_right = _turns("set_turn_radar_right", _RADAR, 1, _RADIANS)
    set_turn_radar_left = _turns("set_turn_radar_left", _RADAR, -1, _RADIANS)
    set_turn_radar_right_radians = _turns("set_turn_radar_right_radians", _RADAR, 1, 1)
    set_turn_radar_left_radians = _turns("set_turn_radar_left_radians", _RADAR, -1, 1)

    set_adjust_gun_for_robot_turn = _switch("set_adjust_gun_for_robot_turn")
    set_adjust_radar_for_gun_turn = _switch("set_adjust_radar_for_gun_turn")
    set_adjust_radar_for_robot_turn = _switch("set_adjust_radar_for_robot_turn")

    def set_fire(self, power: float) -> bool:
        """Fire in the coming turn; False if the gun is hot or the energy is too low."""
        value = self._order("set_fire", power)
        if math.isnan(value) or self.gun_heat > 0 or self.energy <= 0:
            return False
        value = min(self.energy, max(0.1, min(3.0, value)))
        self.energy -= value
        self.gun_heat += 1 + value / 5
        return True

    def set_max_velocity(self, limit: float) -> None:
        self._order("set_max_velocity", limit)

    def set_max_turn_rate(self, degrees: float) -> None:
        self._order("set_max_turn_rate", degrees)

    def set_max_turn_rate_radians(self, radians: float) -> None:
        self._order("set_max_turn_rate_radians", radians)

    def set_stop(self) -> None:
        """Stop all movement; `set_resume` continues it."""
        self._orders.append(["set_stop"])
        self.__dict__.update(dict.fromkeys(_REMAINDERS, 0.0))

    def set_resume(self) -> None:
        self._orders.append(["set_resume"])

    def scan(self) -> None:
        """Scan in the coming turn even if nothing moves."""
        self._orders.append(["scan"])

    def set_event_priority(self, event: str, priority: int) -> None:
        """Handle events such as `scanned_robot` earlier or later, 0 to 99, in this round."""
        if event not in PRIORITIES or event in _FIXED:
            raise ValueError(f"the priority of {event!r} cannot be set")
        self._priorities = {**(self._priorities or PRIORITIES), event: max(0, min(99, priority))}

    # Messages from and to the server.

    @classmethod
    def agent(cls, observation: dict[str, Any], configuration: dict[str, Any]) -> list[list[Any]]:
        """The agent that the server calls: one turn per call."""
        robot = cls._playing.get(cls)
        if robot is None or robot.round != observation["round"]:
            robot = cls._playing[cls] = cls()
            robot.configuration, robot.name = configuration, observation["seat"]
            robot.time = -1
        return robot._play(observation)

    def _play(self, observation: dict[str, Any]) -> list[list[Any]]:
        missed = observation["time"] - self.time - 1
        starts = self.time < 0
        events = observation["events"]
        known = self.__dict__
        for field in _STATUS:
            known[field] = observation[field]
        for field in _REMAINDERS:
            known[field] = float(observation[field])  # infinite ones come as text
        orders: list[list[Any]] = []
        self._orders = orders
        if starts:
            self.run()
        elif missed > 0:
            skipped = {"event": "skipped_turn", "time": self.time, "turns": missed}
            events = [skipped, *events]
        self._handle([{"event": "status", "time": self.time}, *events])
        self.on_turn()
        return orders

    def _handle(self, events: list[dict[str, Any]]) -> None:
        priorities = self._priorities or PRIORITIES
        if len(events) > 1:
            # Events of equal priority stay in the order of the server.
            events.sort(key=lambda event: (event["time"], -priorities[event["event"]]))
        for event in events:
            getattr(self, "on_" + event["event"])(Event(event))

    def _order(self, command: str, number: float) -> float:
        """Record an order; returns its number as a float. Infinities become text in JSON."""
        value = float(number)
        odd = value - value != 0
        self._orders.append([command, _ODD[str(value)] if odd else value])
        return value
