"""The kernels as Python calls them: with an array of one world.

Passing a record from Python costs thirty microseconds, passing an array less than half of one.
"""

from __future__ import annotations

from typing import Any

from engines.games.tanks import energy, messages, recording, turn
from engines.games.tanks.commands import carry_out
from engines.games.tanks.program import Codes
from engines.games.tanks.roster import wake_bot
from engines.jit import njit

# What a seat does in a turn.
MISSES, ORDERS, THINKS = 0, 1, 2

MOST_SKIPPED = 30
"""A robot that misses more turns than this at a stretch is put out of the round."""


@njit
def begin(worlds: Any, seed: int) -> None:
    """Start the battle and its first round."""
    turn.start_battle(worlds[0], seed)
    turn.start_round(worlds[0])


@njit
def begin_round(worlds: Any) -> None:
    turn.start_round(worlds[0])


@njit
def play(worlds: Any) -> None:
    """One turn with the orders as they stand."""
    turn.play_turn(worlds[0])


@njit
def think(worlds: Any, seat: int, codes: Codes) -> None:
    """Let the compiled robot in this seat give its orders."""
    wake_bot(worlds[0], seat, codes)


@njit
def give(worlds: Any, seat: int, codes: Any, values: Any) -> int:
    """Give a seat's orders; the result has a bit for each shot that was refused."""
    return carry_out(worlds[0], seat, codes, values)


@njit
def open_queue(worlds: Any, seat: int) -> None:
    messages.open_queue(worlds[0], seat)


@njit
def hand_out(worlds: Any, seat: int) -> None:
    messages.hand_out(worlds[0], seat)


@njit
def asked(worlds: Any, seat: int) -> bool:
    """Whether the seat is asked for orders now."""
    return turn.awake(worlds[0], seat)


@njit
def step(worlds: Any, doings: Any, spans: Any, commands: Any, values: Any, codes: Codes) -> None:
    """What each seat does (`spans` of the commands are its orders), and then one turn."""
    world = worlds[0]
    for seat in range(world.seats):
        if doings[seat] == THINKS:
            wake_bot(world, seat, codes)
        elif turn.awake(world, seat):
            _order(world, seat, doings[seat], spans, commands, values)
    turn.play_turn(world)
    for seat in range(world.seats):
        if doings[seat] != THINKS:
            messages.open_queue(world, seat)


@njit
def _order(world: Any, seat: int, doing: int, spans: Any, commands: Any, values: Any) -> None:
    mind = world.minds[seat]
    if doing == ORDERS:
        mind.skipped = 0
        world.tanks[seat].queued = 0
        first, last = spans[seat], spans[seat + 1]
        carry_out(world, seat, commands[first:last], values[first:last])
        return
    # Its old orders stay in force, and it does not hear what it missed.
    messages.drop_turn(world, seat)
    mind.skipped += 1
    if mind.skipped > MOST_SKIPPED:
        energy.exclude(world, seat)


@njit
def film(worlds: Any, frames: Any) -> None:
    """Write the turn that has just been played to the first of `frames`."""
    recording.fill(worlds[0], frames[0])
