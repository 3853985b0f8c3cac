"""Drivers with an interface like RARS's. Bots import this as `racing`: `from racing import Driver`.

It runs inside the sandbox, next to the bot. It turns messages of the server into calls of `drive`,
and the attributes that `drive` sets into orders. All rules are on the server. It uses only the
standard library.

Units are feet, seconds, pounds and radians; left is positive.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Driver", "Situation", "Track"]

__tracebackhide__ = True
"""Tracebacks end in the bot's own code, not here."""


class Situation:
    """What the driver is told, with the names of docs/racing.md: `s.cur_rad`, `s.to_lft`, `s.v`.

    The other cars in `nearby` have attributes, too.
    """

    nearby: list[Situation]

    def __init__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)
        if "nearby" in fields:
            self.nearby = [Situation(one) for one in fields["nearby"]]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the situation has no {name!r}; it has {', '.join(self.__dict__)}")

    def __repr__(self) -> str:
        return f"Situation({self.__dict__})"


class Track(Situation):
    """The track, for drivers that plan: `name`, `width`, `length`, `segments` and `pit`."""

    segments: list[Situation]


class Driver:
    """A driver. Derive from it, write `drive`, and export `agent = YourDriver.agent`."""

    alpha: float = 0.0
    """The angle between the car's body and its way, positive to the left."""
    vc: float = 0.0
    """The speed of the wheels' surface."""
    request_pit: bool = False
    """Whether to stop at the next entry of the pits."""
    repair_amount: float = 0.0
    """The damage to repair there."""
    fuel_amount: float = 0.0
    """Pounds of fuel to take there; in the first tick, the fuel at the start (0: a full tank)."""
    track: Track

    def start(self, s: Situation) -> None:
        """Called once, before the first `drive`; `self.track` is there."""

    def drive(self, s: Situation) -> None:
        """Called each tick: set `alpha` and `vc`, and what else should change."""

    @classmethod
    def agent(cls, observation: dict[str, Any], configuration: Any = None) -> dict[str, Any]:
        """The function that the server calls."""
        if "track" in observation:
            driver = cls()
            _PLAYING[cls] = driver
            track = observation["track"]
            driver.track = Track({**track, "pit": Situation(track["pit"])})
            driver.track.segments = [Situation(one) for one in track["segments"]]
            driver.start(Situation(observation))
        driver = _PLAYING[cls]
        driver.drive(Situation(observation))
        return {
            "alpha": float(driver.alpha),
            "vc": float(driver.vc),
            "request_pit": bool(driver.request_pit),
            "repair_amount": float(driver.repair_amount),
            "fuel_amount": float(driver.fuel_amount),
        }


_PLAYING: dict[type[Driver], Driver] = {}
"""The driver of this match: a process plays one match."""
