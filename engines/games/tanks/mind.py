"""Control flow of compiled robots: blocking calls and interrupting handlers, without threads.

A robot is a stack of frames. The lowest is its main program; each frame above it is a handler that
interrupted the one below. A program is a function that is called again when its blocking call has
returned: `frame.step` is its position. The calls below give an order, advance the step and return
BLOCKED; a program returns DONE at its end.

When a robot wakes, the rules of the engine's event queue select the next frame: events more urgent
than the running handler interrupt it; an equally urgent one restarts it if it is interruptible;
otherwise the topmost frame continues when its wait condition is met.
"""

from __future__ import annotations

from typing import Any

from engines.compiling.jit import njit
from engines.games.tanks.energy import LAST_ORDERS
from engines.games.tanks.geometry import DEGREE, PI
from engines.games.tanks.inlining import inlined
from engines.games.tanks.layout import CUSTOM, DEAD, RUN, SCANNED, World
from engines.games.tanks.messages import hand_out, open_queue, priority, tell
from engines.games.tanks.orders import (
    forget_orders,
    set_fire,
    set_move,
    set_resume,
    set_stop,
    set_turn,
)

DONE, BLOCKED = 0, 1

# Wait conditions of a frame. A tick is one turn; the others end when that order is exactly 0.
_TICK, _MOVE, _TURN, _GUN, _TURN_COMPLETE = 0, 1, 2, 3, 4


# Blocking calls. Angles are degrees, as in Robocode's robots.


@njit
def _block(frame: Any, wait: int) -> int:
    frame.step += 1
    frame.wait = wait
    return BLOCKED


@njit
def tick(frame: Any) -> int:
    """Wait for one turn."""
    return _block(frame, _TICK)


@njit
def ahead(tank: Any, frame: Any, distance: float) -> int:
    set_move(tank, distance)
    return _block(frame, _MOVE)


@njit
def turn_right(tank: Any, frame: Any, degrees: float) -> int:
    set_turn(tank, degrees * DEGREE)
    return _block(frame, _TURN)


@njit
def turn_gun_right(tank: Any, frame: Any, degrees: float) -> int:
    tank.gun_turn = degrees * DEGREE
    return _block(frame, _GUN)


@njit
def fire(world: World, tank: Any, frame: Any, power: float) -> int:
    set_fire(tank, power, world.time)
    return _block(frame, _TICK)


@njit
def stop(tank: Any, frame: Any) -> int:
    set_stop(tank)
    return _block(frame, _TICK)


@njit
def resume(tank: Any, frame: Any) -> int:
    set_resume(tank)
    return _block(frame, _TICK)


@njit
def rescan(mind: Any, tank: Any, frame: Any) -> int:
    """Scan even without movement; a scan handler restarts if the scan finds a robot."""
    if frame.kind == SCANNED:
        frame.rescanning = True
        frame.was_interruptible = _interruptible(mind, SCANNED)
        _set_interruptible(mind, SCANNED, True)
    tank.scan_order = True
    return _block(frame, _TICK)


@njit
def wait_for_turn(mind: Any, frame: Any) -> int:
    """`waitFor(new TurnCompleteCondition(this))`."""
    mind.waiting = True
    return _block(frame, _TURN_COMPLETE)


# Getters, in degrees, rounded as in Robocode.


@njit
def degrees(angle: float) -> float:
    return angle * 180.0 / PI


@njit
def heading(tank: Any) -> float:
    value = 180.0 * tank.body / PI
    return float(value - 360 if value >= 360 else value)


# The machine.


@inlined
def _interruptible(mind: Any, kind: int) -> bool:
    return bool((mind.interruptible >> kind) & 1)


@njit
def _set_interruptible(mind: Any, kind: int, on: bool) -> None:
    if on:
        mind.interruptible |= 1 << kind
    else:
        mind.interruptible &= ~(1 << kind)


@njit
def reset_mind(mind: Any) -> None:
    """Reset a robot for a round; static fields and the engine's state stay."""
    mind.depth = mind.count = mind.others = mind.trigger = 0
    mind.target = -1
    mind.value = mind.speed = mind.turn_rate = 0.0
    mind.flag = mind.waiting = mind.halted = mind.watching = False


@njit
def _push(world: World, index: int, kind: int) -> Any:
    mind = world.minds[index]
    frame = world.frames[index, mind.depth]
    mind.depth += 1
    frame.kind = kind
    frame.step = frame.count = 0
    frame.rescanning = False
    return frame


@njit
def open_frame(world: World, index: int) -> Any:
    """Begin the next program: the main one, or the handler of the first event."""
    if world.minds[index].depth == 0:
        return _push(world, index, RUN)
    event = world.queues[index, 0]
    frame = _push(world, index, event.kind)
    frame.bearing = degrees(event.bearing)
    frame.distance = event.distance
    frame.heading = event.heading
    frame.velocity = event.velocity
    frame.energy = event.energy
    frame.other = event.other
    frame.fault = event.fault
    hand_out(world, index)
    return frame


@njit
def close_frame(world: World, index: int) -> None:
    """Remove the completed topmost program."""
    mind = world.minds[index]
    mind.depth -= 1
    _set_interruptible(mind, world.frames[index, mind.depth].kind, False)


@inlined
def interrupts(world: World, index: int) -> bool:
    """Whether the first event comes before the running program. May abandon handlers for it."""
    mind, tank = world.minds[index], world.tanks[index]
    while tank.queued > 0:
        event, running = world.queues[index, 0], world.frames[index, mind.depth - 1]
        if priority(event.kind) > priority(running.kind):
            return True
        if event.kind != running.kind or not _interruptible(mind, event.kind):
            return False
        _set_interruptible(mind, event.kind, False)
        mind.depth -= 1
        tank.told_kind = RUN
    return False


@inlined
def goes_on(world: World, index: int) -> bool:
    """Whether the wait condition of the topmost program is met."""
    mind, tank = world.minds[index], world.tanks[index]
    frame = world.frames[index, mind.depth - 1]
    if frame.wait == _MOVE:
        return bool(tank.distance == 0)
    if frame.wait == _TURN:
        return bool(tank.turn == 0)
    if frame.wait == _GUN:
        return bool(tank.gun_turn == 0)
    if frame.wait == _TURN_COMPLETE:
        if tank.turn != 0:
            return False
        mind.waiting = False
    if frame.rescanning:
        frame.rescanning = False
        _set_interruptible(mind, SCANNED, frame.was_interruptible)
    return True


@inlined
def read_events(world: World, index: int) -> None:
    """Read the state and events since the robot's last orders."""
    mind, tank = world.minds[index], world.tanks[index]
    forget_orders(tank)
    if mind.watching and tank.energy <= mind.trigger:
        tell(world, index, CUSTOM)
    if tank.queued > 0:
        open_queue(world, index)


@inlined
def commit_orders(world: World, index: int) -> None:
    """Commit the orders."""
    mind, tank = world.minds[index], world.tanks[index]
    if mind.waiting and tank.turn == 0:
        # A quirk of the engine: a completed wait makes this turn scan.
        mind.waiting = False
        tank.scan_order = True
    if tank.state == DEAD or world.ending >= LAST_ORDERS:
        mind.halted = True
