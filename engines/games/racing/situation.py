"""What a driver is told each tick, with the names of RARS."""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.compiling.jit import njit
from engines.games.racing.layout import NEARBY
from engines.games.racing.tracks import TrackPlan

NUMBERS = (
    *("cur_rad", "nex_rad", "after_rad", "aftaft_rad"),
    *("cur_len", "nex_len", "after_len", "aftaft_len"),
    *("to_lft", "to_rgt", "to_end", "v", "vn", "distance", "alpha", "vc"),
    *("power_req", "power", "fuel", "cen_a", "tan_a", "lap_time", "start_time"),
    *("bestlap_speed", "lastlap_speed", "behind_leader", "time_count"),
)
"""In the order of `_tell`, before `WHOLE` and `TRUTHS`."""
WHOLE = ("damage", "position", "laps_done", "laps_to_go", "seg_ID", "my_ID")
TRUTHS = ("dead_ahead", "backward", "starting", "out_pits")

OTHER = (
    *("rel_x", "rel_y", "rel_xdot", "rel_ydot", "alpha"),
    *("to_lft", "to_rgt", "v", "vn", "dist"),
)
OTHER_WHOLE = ("who",)
OTHER_TRUTHS = ("braking", "for_position", "coming_from_pits")

_OWN = len(NUMBERS) + len(WHOLE) + len(TRUTHS)
_EACH = len(OTHER) + len(OTHER_WHOLE) + len(OTHER_TRUTHS)


@njit
def _tell(worlds: Any, seat: int, told: Any, others: Any) -> int:
    """Fill in the numbers of a seat and of the cars that it sees; returns how many it sees."""
    world = worlds[0]
    car = world.cars[seat]
    told[0], told[1], told[2], told[3] = car.cur_rad, car.nex_rad, car.after_rad, car.aftaft_rad
    told[4], told[5], told[6], told[7] = car.cur_len, car.nex_len, car.after_len, car.aftaft_len
    told[8], told[9], told[10] = car.to_lft, car.to_rgt, car.to_end
    told[11], told[12], told[13] = car.v, car.vn, car.distance
    told[14], told[15], told[16], told[17] = car.alpha, car.vc, car.power_req, car.power
    told[18], told[19], told[20] = car.fuel, car.cen_a, car.tan_a
    told[21], told[22] = car.lap_time, car.start_time
    told[23], told[24], told[25] = car.best_speed, car.last_speed, car.behind_leader
    told[26], told[27], told[28] = world.time, car.damage, car.position
    told[29], told[30] = max(car.laps, 0), max(world.laps - max(car.laps, 0), 0)
    told[31], told[32] = car.seg, seat
    told[33], told[34], told[35], told[36] = (
        car.dead_ahead,
        car.backward,
        not car.started,
        car.pit != 0,
    )
    for place in range(car.seen):
        one, row = car.nearby[place], others[place]
        row[0], row[1], row[2], row[3] = one.x, one.y, one.xdot, one.ydot
        row[4], row[5], row[6], row[7] = one.alpha, one.to_lft, one.to_rgt, one.v
        row[8], row[9], row[10] = one.vn, one.dist, one.who
        row[11], row[12], row[13] = one.braking, one.for_position, one.coming_from_pits
    return int(car.seen)


def situation(worlds: Any, seat: int) -> dict[str, Any]:
    """The situation of a seat."""
    told, others = np.zeros(_OWN), np.zeros((NEARBY, _EACH))
    seen = _tell(worlds, seat, told, others)
    found = _named(told.tolist(), NUMBERS, WHOLE, TRUTHS)
    found["nearby"] = [
        _named(row, OTHER, OTHER_WHOLE, OTHER_TRUTHS) for row in others[:seen].tolist()
    ]
    return found


def _named(
    values: list[float], numbers: tuple[str, ...], whole: tuple[str, ...], truths: tuple[str, ...]
) -> dict[str, Any]:
    found: dict[str, Any] = dict(zip(numbers, values, strict=False))
    rest = values[len(numbers) :]
    found |= {name: int(value) for name, value in zip(whole, rest, strict=False)}
    rest = rest[len(whole) :]
    return found | {name: value != 0 for name, value in zip(truths, rest, strict=True)}


def described(plan: TrackPlan, length: float) -> dict[str, Any]:
    """The track for planners, which they get before the first tick."""
    side, entry, lane_start, lane_end, leave, speed = plan.pit
    return {
        "name": plan.name,
        "width": plan.width,
        "length": length,
        "finish": plan.finish,
        "start_rows": plan.rows,
        "segments": [{"radius": radius, "length": span} for radius, span in plan.segments],
        "pit": {
            "side": side,
            "entry": entry,
            "lane_start": lane_start,
            "lane_end": lane_end,
            "exit": leave,
            "lane_speed": speed,
        },
    }
