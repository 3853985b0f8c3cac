"""The kernels that Python calls, with an array of one world.

Passing a record from Python costs thirty microseconds, passing an array less than half of one.
"""

from __future__ import annotations

from typing import Any

from engines.compiling.jit import njit
from engines.games.tanks import energy, messages, recording, turn
from engines.games.tanks.commands import carry_out
from engines.games.tanks.roster import wake_bot

# Actions of an uploaded bot's seat in a turn.
MISSES, ORDERS = 0, 1

# Reasons for `play_on` to stop: a seat must give orders, the battle is over, or the film is full.
ASKS, OVER, FULL = 0, 1, 2

MOST_SKIPPED = 30
"""A robot that misses more turns in a row leaves the round."""


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
    """Play one turn with the current orders."""
    turn.play_turn(worlds[0])


@njit
def think(worlds: Any, seat: int, seat_programs: Any) -> None:
    """Run the compiled robot in this seat until it has given its orders."""
    wake_bot(worlds[0], seat, seat_programs[0])


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
    """Whether the seat must give orders now."""
    return turn.awake(worlds[0], seat)


@njit
def step(
    worlds: Any, doings: Any, spans: Any, commands: Any, values: Any, film: Any, seat_programs: Any
) -> Any:
    """Carry out the actions of uploaded bots (orders are `spans` of the commands), and play on."""
    world = worlds[0]
    for seat in range(world.seats):
        if world.minds[seat].bot == 0 and turn.awake(world, seat):
            _order(world, seat, doings[seat], spans, commands, values)
    return play_on(worlds, film, seat_programs)


@njit
def _order(world: Any, seat: int, doing: int, spans: Any, commands: Any, values: Any) -> None:
    mind = world.minds[seat]
    if doing == ORDERS:
        mind.skipped = 0
        world.tanks[seat].queued = 0
        first, last = spans[seat], spans[seat + 1]
        carry_out(world, seat, commands[first:last], values[first:last])
        return
    # Its old orders stay in force, and it does not get missed events.
    messages.drop_turn(world, seat)
    mind.skipped += 1
    if mind.skipped > MOST_SKIPPED:
        energy.exclude(world, seat)


@njit
def play_on(worlds: Any, film: Any, seat_programs: Any) -> Any:
    """Play and film turns until an uploaded bot must give orders.

    Returns the reason to stop, and the used length of the film. House bots play a whole battle.
    """
    world = worlds[0]
    used = 0
    while True:
        for seat in range(world.seats):
            wake_bot(world, seat, seat_programs[0])
        if turn.round_over(world):
            if world.round + 1 == world.rounds:
                return OVER, used
            turn.start_round(world)
            if _asks(world):
                return ASKS, used
            continue
        turn.play_turn(world)
        for seat in range(world.seats):
            if world.minds[seat].bot == 0:
                messages.open_queue(world, seat)
        used = recording.film(world, film, used)
        if _asks(world):
            return ASKS, used
        if len(film) - used < recording.LONGEST:
            return FULL, used


@njit
def _asks(world: Any) -> bool:
    """Whether an uploaded bot's seat must get an observation."""
    for seat in range(world.seats):
        if world.minds[seat].bot == 0 and (turn.awake(world, seat) or turn.last_word(world, seat)):
            return True
    return False
