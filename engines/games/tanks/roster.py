"""The house bots by name, and the wake-up of compiled robots: house bots or programs."""

from __future__ import annotations

from typing import Any, NamedTuple

from engines.compiling.jit import njit
from engines.games.tanks import bots, drivers
from engines.games.tanks.inlining import inlined
from engines.games.tanks.layout import DEAD, STATUS, World
from engines.games.tanks.messages import hand_out
from engines.games.tanks.mind import (
    DONE,
    close_frame,
    commit_orders,
    goes_on,
    interrupts,
    open_frame,
    read_events,
    reset_mind,
)
from engines.games.tanks.program import SeatPrograms, drive


class HouseTank(NamedTuple):
    """A house bot: its number for the kernels, and whether it is an AdvancedRobot."""

    number: int
    advanced: bool


_DUCK, _TARGET, _FIRE, _FIRST, _RAM_FIRE, _SPIN, _CRAZY, _CORNERS = range(1, 9)
_TRACKER, _TRACK_FIRE, _VELOCI, _WALLS, _PROGRAM = range(9, 14)

BOTS: dict[str, HouseTank] = {
    "Target": HouseTank(_TARGET, True),
    "SittingDuck": HouseTank(_DUCK, True),
    "Fire": HouseTank(_FIRE, False),
    "Crazy": HouseTank(_CRAZY, True),
    "Corners": HouseTank(_CORNERS, False),
    "MyFirstRobot": HouseTank(_FIRST, False),
    "RamFire": HouseTank(_RAM_FIRE, False),
    "VelociRobot": HouseTank(_VELOCI, True),
    "Tracker": HouseTank(_TRACKER, False),
    "SpinBot": HouseTank(_SPIN, True),
    "TrackFire": HouseTank(_TRACK_FIRE, False),
    "Walls": HouseTank(_WALLS, False),
}
"""Weakest first, by their mean score share in duels against each other."""

PROGRAM = HouseTank(_PROGRAM, True)
"""The number of a seat that its program in the `SeatPrograms` plays."""


@njit
def _run(world: World, index: int, frame: Any, programs: SeatPrograms) -> int:
    """Run the program of this frame to its next blocking call or its end."""
    bot = world.minds[index].bot
    if bot == _PROGRAM:
        return drive(world, index, frame, programs)
    if bot == _DUCK:
        return bots.sitting_duck(frame)
    if bot == _TARGET:
        return bots.target(world, index, frame)
    if bot == _FIRE:
        return bots.fire_bot(world, index, frame)
    if bot == _FIRST:
        return bots.my_first_robot(world, index, frame)
    if bot == _RAM_FIRE:
        return bots.ram_fire(world, index, frame)
    if bot == _SPIN:
        return bots.spin_bot(world, index, frame)
    if bot == _CRAZY:
        return bots.crazy(world, index, frame)
    if bot == _CORNERS:
        return drivers.corners(world, index, frame)
    if bot == _TRACKER:
        return drivers.tracker(world, index, frame)
    if bot == _TRACK_FIRE:
        return bots.track_fire(world, index, frame)
    if bot == _VELOCI:
        return bots.veloci_robot(world, index, frame)
    return drivers.walls(world, index, frame)


@inlined
def wake_bot(world: World, index: int, programs: SeatPrograms) -> None:
    """Run compiled robot `index` until it has given its orders for the next turn."""
    mind, tank = world.minds[index], world.tanks[index]
    if mind.bot == 0:
        return
    if world.time == 0:
        reset_mind(mind)
    if mind.halted:
        return
    read_events(world, index)
    while True:
        if mind.depth == 0 or interrupts(world, index):
            if mind.depth > 0 and world.queues[index, 0].kind == STATUS:
                hand_out(world, index)
                continue
            frame = open_frame(world, index)
        elif goes_on(world, index):
            frame = world.frames[index, mind.depth - 1]
        else:
            break
        if _run(world, index, frame, programs) != DONE:
            break
        close_frame(world, index)
    commit_orders(world, index)
    if tank.state == DEAD and mind.bot == _CORNERS:
        drivers.corners_death(world, index)
