"""The event queues of robots: arrival, order, age.

A robot handles events in order of time, then urgency; events older than two turns are dropped.
House bots, scripts and uploaded robots all get their events from here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engines.compiling.jit import njit
from engines.games.tanks.layout import (
    DEATH,
    HIT_BY_ROBOT,
    PRIORITIES,
    QUEUE_LIMIT,
    SCANNED,
    SCRATCH,
    WIN,
    World,
)

_PRIORITY = np.array(PRIORITIES, np.int64)

OLDEST = 2
"""Events that are this many turns old are dropped."""


@njit
def priority(kind: int) -> int:
    return int(_PRIORITY[kind])


@njit
def _critical(kind: int) -> bool:
    """Whether events of this kind are never dropped or refused."""
    return kind in (WIN, DEATH)


@njit
def tell(world: World, index: int, kind: int) -> Any:
    """Append an event of this kind to the queue of tank `index`; the caller fills it in."""
    tank = world.tanks[index]
    slot = tank.queued
    if slot < QUEUE_LIMIT or _critical(kind):
        tank.queued += 1
    else:
        # Refused: the caller fills in a place that is never read.
        slot = SCRATCH
    event = world.queues[index, slot]
    event.kind = kind
    event.time = world.time
    return event


@njit
def _order(a: Any, b: Any) -> int:
    """Negative if `a` comes first, 0 if their order stays."""
    if a.time != b.time:
        return int(a.time - b.time)
    if a.kind != b.kind:
        return priority(b.kind) - priority(a.kind)
    if a.kind == SCANNED:
        # Whole pixels only, so that this is not transitive: the sort must be the engine's.
        return int(a.distance - b.distance)
    if a.kind == HIT_BY_ROBOT:
        return int(b.fault) - int(a.fault)
    return 0


@njit
def _swap(queue: Any, a: int, b: int) -> None:
    queue[SCRATCH] = queue[a]
    queue[a] = queue[b]
    queue[b] = queue[SCRATCH]


@njit
def _first_run(queue: Any, count: int) -> int:
    """Length of the ordered run at the front; a strictly falling run is reversed."""
    end = 2
    if _order(queue[1], queue[0]) < 0:
        while end < count and _order(queue[end], queue[end - 1]) < 0:
            end += 1
        for low in range(end // 2):
            _swap(queue, low, end - 1 - low)
    else:
        while end < count and _order(queue[end], queue[end - 1]) >= 0:
            end += 1
    return end


@njit
def sort_queue(queue: Any, count: int) -> None:
    """Java's sort of short lists: extend the first run by binary insertion."""
    if count < 2:
        return
    for start in range(_first_run(queue, count), count):
        low, high = 0, start
        while low < high:
            middle = (low + high) >> 1
            if _order(queue[start], queue[middle]) < 0:
                high = middle
            else:
                low = middle + 1
        if low < start:
            queue[SCRATCH] = queue[start]
            for to in range(start, low, -1):
                queue[to] = queue[to - 1]
            queue[low] = queue[SCRATCH]


@njit
def drop_old(world: World, index: int) -> None:
    """Drop events that have waited too long."""
    tank, queue = world.tanks[index], world.queues[index]
    oldest = world.time - OLDEST
    kept = 0
    for slot in range(tank.queued):
        if queue[slot].time > oldest or _critical(queue[slot].kind):
            if kept != slot:
                queue[kept] = queue[slot]
            kept += 1
    tank.queued = kept


@njit
def drop_first(world: World, index: int) -> None:
    """Remove the first event of the queue."""
    tank, queue = world.tanks[index], world.queues[index]
    tank.queued -= 1
    for slot in range(tank.queued):
        queue[slot] = queue[slot + 1]


@njit
def drop_turn(world: World, index: int) -> None:
    """Drop the events of a turn that the robot missed."""
    tank, queue = world.tanks[index], world.queues[index]
    now = world.time
    kept = 0
    for slot in range(tank.queued):
        if queue[slot].time != now or _critical(queue[slot].kind):
            if kept != slot:
                queue[kept] = queue[slot]
            kept += 1
    tank.queued = kept


@njit
def open_queue(world: World, index: int) -> None:
    """Drop the old events and sort the rest: the first step of a waking robot."""
    drop_old(world, index)
    sort_queue(world.queues[index], world.tanks[index].queued)


@njit
def hand_out(world: World, index: int) -> None:
    """Remove the first event of the queue and remember it as the current one."""
    tank, event = world.tanks[index], world.queues[index, 0]
    tank.told_time = event.time
    tank.told_kind = event.kind
    tank.told_bearing = event.bearing
    drop_first(world, index)
