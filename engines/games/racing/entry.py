"""The kernels that Python calls, with arrays of one record."""

from __future__ import annotations

from typing import Any

from engines.compiling.jit import njit
from engines.games.racing import drivers, program, race, recording

# Reasons for `play_on` to stop: a seat must give orders, the race is over, or the film is full.
ASKS, OVER, FULL = 0, 1, 2


@njit
def begin(worlds: Any, tracks: Any, seed: int) -> None:
    """Put all cars on the grid."""
    race.start(worlds[0], tracks[0], seed)


@njit
def order(worlds: Any, seat: int, values: Any) -> None:
    """The order of an uploaded bot's seat; it holds until the next one."""
    car = worlds[0].cars[seat]
    car.order_alpha, car.order_vc = values[0], values[1]
    car.order_pit = values[2] != 0.0
    car.order_repair, car.order_fuel = values[3], values[4]


@njit
def _drive(world: Any, track: Any, line: Any, programs: Any) -> None:
    """Let all house drivers and programs give their orders."""
    for seat in range(world.count):
        car = world.cars[seat]
        if car.out or car.driver == drivers.BOT:
            continue
        if car.driver == drivers.PROGRAM:
            alpha, vc = program.drive(track, car, programs, seat)
        else:
            alpha, vc = drivers.drive(world, track, line, seat)
        car.order_alpha, car.order_vc = alpha, vc


@njit
def _tick(world: Any, track: Any, line: Any, programs: Any) -> None:
    _drive(world, track, line, programs)
    for seat in range(world.count):
        if not world.cars[seat].out:
            race.control(world, track, seat)
    race.advance(world, track)
    race.observe_all(world, track)
    race.end_tick(world, track)


@njit
def _asks(world: Any) -> bool:
    for seat in range(world.count):
        if world.cars[seat].driver == drivers.BOT and not world.cars[seat].out:
            return True
    return False


@njit
def play_on(worlds: Any, tracks: Any, line: Any, film: Any, seat_programs: Any) -> Any:
    """Play and film ticks until an uploaded bot must give orders.

    Returns the reason to stop, and the used length of the film. House drivers race to the end.
    """
    world, track, programs = worlds[0], tracks[0], seat_programs[0]
    used = 0
    while True:
        if world.tick == 0:
            used = recording.film(world, track, film, used)
        _tick(world, track, line, programs)
        if world.tick % recording.EVERY == 0 or world.over:
            used = recording.film(world, track, film, used)
        if world.over:
            return OVER, used
        if _asks(world):
            return ASKS, used
        if len(film) - used < 2 * recording.LONGEST:
            return FULL, used


@njit
def drive_on(worlds: Any, tracks: Any, line: Any, seat_programs: Any, seconds: float) -> None:
    """Race for a time or to the end, without a film."""
    world, track, programs = worlds[0], tracks[0], seat_programs[0]
    while not world.over and world.time < seconds:
        _tick(world, track, line, programs)


@njit
def tell_ways(worlds: Any, tracks: Any, ways: Any) -> None:
    """Write how far each car has driven since the line, in feet."""
    for seat in range(worlds[0].count):
        ways[seat] = race.progress(tracks[0], worlds[0].cars[seat])
