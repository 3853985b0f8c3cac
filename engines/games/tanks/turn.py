"""Rounds and turns: the order of all events."""

from __future__ import annotations

from engines.compiling.jit import njit
from engines.games.tanks.energy import LAST_ORDERS, add_totals, clear_scores
from engines.games.tanks.geometry import TWO_PI, boxes_overlap
from engines.games.tanks.gunnery import fire_shots, move_bullets
from engines.games.tanks.inlining import inlined
from engines.games.tanks.layout import (
    ACTIVE,
    DEAD,
    DEATH,
    MOST_BULLETS,
    ROBOT_DEATH,
    STATUS,
    WIN,
    World,
)
from engines.games.tanks.messages import tell
from engines.games.tanks.motion import MAX_TURN, MAX_VELOCITY, move_tank, set_box, zap
from engines.games.tanks.orders import forget_orders
from engines.games.tanks.radar import look, report
from engines.games.tanks.random_stream import (
    next_double,
    seed_stream,
    shuffle,
    shuffle_range,
    skip_shuffles,
)

TURNS_AFTER_END = 151
"""Length of a round from the turn in which at most one tank is left, including that turn."""

_START_ENERGY, _START_HEAT = 100.0, 3.0
_MARGIN = 36.0

_REACH = 36.0 + 2 * 8.0 + 1.0
"""Boxes farther apart cannot overlap after both tanks have moved."""


@njit
def start_battle(world: World, seed: int) -> None:
    """Begin at round -1: `start_round` comes next."""
    seed_stream(world, seed)
    if world.fixed:
        # The engine also draws a random place for each fixed one, and ignores it.
        for _ in range(3 * world.seats):
            next_double(world)
    world.round = -1
    world.activity = 0.0


@njit
def _spot_is_free(world: World, index: int) -> bool:
    tank = world.tanks[index]
    for other in range(world.seats):
        taken = world.tanks[other]
        # In later rounds a tank that is not yet placed is still at its box of the last round.
        if (
            other != index
            and taken.placed
            and boxes_overlap(tank.box_x, tank.box_y, taken.box_x, taken.box_y)
        ):
            return False
    return True


@njit
def _place(world: World, index: int) -> None:
    tank = world.tanks[index]
    if world.fixed:
        tank.x, tank.y = world.starts[index, 0], world.starts[index, 1]
        tank.body = world.starts[index, 2]
        set_box(tank)
        if _spot_is_free(world, index):
            return
    for _ in range(1000):
        tank.x = _MARGIN + next_double(world) * (world.width - 2 * _MARGIN)
        tank.y = _MARGIN + next_double(world) * (world.height - 2 * _MARGIN)
        tank.body = TWO_PI * next_double(world)
        set_box(tank)
        if _spot_is_free(world, index):
            return


@njit
def _reset_tank(world: World, index: int) -> None:
    tank = world.tanks[index]
    tank.gun = tank.radar = tank.body
    tank.placed = True
    tank.state = ACTIVE
    tank.velocity = 0.0
    tank.energy = _START_ENERGY
    tank.heat = _START_HEAT
    tank.blocked = tank.scanning = tank.excluded = tank.drained = tank.winner = False
    tank.adjust_gun = tank.adjust_radar = False
    tank.adjust_radar_body = tank.adjust_radar_body_set = False
    tank.distance = tank.turn = tank.gun_turn = tank.radar_turn = 0.0
    tank.max_velocity, tank.max_turn = MAX_VELOCITY, MAX_TURN
    # A round starts in the stopped state, so that a first `stop` saves nothing.
    tank.stopped = True
    tank.queued = 0
    tank.told_time = -1
    forget_orders(tank)
    clear_scores(tank)


@njit
def start_round(world: World) -> None:
    """Place the tanks for the next round; its time is 0."""
    world.round += 1
    world.time = world.idle = world.ending = world.deaths = world.count = 0
    world.alive = world.seats
    world.free = MOST_BULLETS
    for slot in range(MOST_BULLETS):
        world.spare[slot] = MOST_BULLETS - 1 - slot
    world.damage[:] = 0.0
    for index in range(world.seats):
        _place(world, index)
        _reset_tank(world, index)
        world.minds[index].skipped = 0
    skip_shuffles(world, 1, world.seats)


@inlined
def _near(world: World, index: int, count: int) -> int:
    """The number of the first `count` tanks that the given one may touch in this turn."""
    tank = world.tanks[index]
    near = 0
    if tank.state != DEAD:
        for place in range(count):
            other = world.tanks[place]
            if (
                abs(tank.box_x - other.box_x) < _REACH
                and abs(tank.box_y - other.box_y) < _REACH
                and other.state != DEAD
                and place != index
            ):
                near += 1
    return near


@inlined
def _crowded(world: World) -> bool:
    """Whether any two tanks may touch in this turn: then the order of moves matters."""
    near = 0
    for index in range(1, world.seats):
        near += _near(world, index, index)
    return near > 0


@njit
def _draw_others(world: World, choice: bool) -> None:
    """Draw the order in which one tank meets the others; shuffles only if it matters."""
    if choice:
        shuffle_range(world, world.other_tanks, world.seats)
        return
    skip_shuffles(world, 1, world.seats)
    for place in range(world.seats):
        world.other_tanks[place] = place


@inlined
def _move_tanks(world: World) -> None:
    seats = world.seats
    zapping = world.idle > world.inactivity
    if zapping or _crowded(world):
        shuffle_range(world, world.tank_order, seats)
        for place in range(seats):
            index = world.tank_order[place]
            _draw_others(world, _near(world, index, seats) > 1)
            if world.tanks[index].state != DEAD:
                move_tank(world, index, True)
                if zapping:
                    zap(world, index)
        return
    skip_shuffles(world, seats + 1, seats)
    for index in range(seats):
        if world.tanks[index].state != DEAD:
            move_tank(world, index, False)


@inlined
def _scan(world: World) -> None:
    """Scan with all radars; the order matters only for tanks that see several others at once."""
    seats = world.seats
    several = False
    for index in range(seats):
        if look(world, index) > 1:
            several = True
    if several:
        shuffle_range(world, world.tank_order, seats)
        for place in range(seats):
            index = world.tank_order[place]
            seen = world.tanks[index].seen
            _draw_others(world, seen & (seen - 1) != 0)
            if seen != 0:
                for other_place in range(seats):
                    report(world, index, world.other_tanks[other_place])
        return
    skip_shuffles(world, seats + 1, seats)
    for index in range(seats):
        if world.tanks[index].seen != 0:
            for other in range(seats):
                report(world, index, other)


@njit
def _bury(world: World) -> None:
    """Score this turn's deaths, for the tanks that are alive after the turn."""
    shuffle(world, world.dead, world.deaths)
    for place in range(world.deaths):
        dead = world.tanks[world.dead[place]]
        if world.alive == 0:
            # A winner that dies after the end of the round already has its first place.
            if not dead.winner:
                dead.firsts += 1
        elif world.alive == 1:
            dead.seconds += 1
        elif world.alive == 2:
            dead.thirds += 1
        skip_shuffles(world, 1, world.seats)
        for index in range(world.seats):
            tank = world.tanks[index]
            if tank.state != DEAD:
                tell(world, index, ROBOT_DEATH).other = world.dead[place]
                tank.survival += 50
    world.deaths = 0


@njit
def _end_round(world: World) -> None:
    if world.ending == 0:
        skip_shuffles(world, 1, world.seats)
        for index in range(world.seats):
            tank = world.tanks[index]
            if tank.state != DEAD:
                tank.last_survivor += 10 * (world.seats - 1)
                tank.firsts += 1
                tank.winner = True
                tell(world, index, WIN)
            add_totals(tank)
    world.ending += 1


@inlined
def play_turn(world: World) -> None:
    """Play one turn with the given orders; its events go to the queues."""
    world.time += 1
    world.played += 1
    if world.seats > 2:
        # No robot handles these, but scans of nearly equal distance sort differently around them.
        for index in range(world.seats):
            if world.tanks[index].state != DEAD:
                tell(world, index, STATUS)
    fire_shots(world)
    move_bullets(world)
    _move_tanks(world)
    _scan(world)
    if world.deaths > 0:
        _bury(world)
    if world.alive <= 1:
        _end_round(world)
    world.idle += 1
    # The robots wake in random order, which has no effect on them.
    skip_shuffles(world, 1, world.seats)


@njit
def awake(world: World, index: int) -> bool:
    """Whether the robot must give orders now."""
    return bool(world.tanks[index].state != DEAD and world.ending <= LAST_ORDERS)


@njit
def last_word(world: World, index: int) -> bool:
    """Whether the robot has died in this turn: it gets the event, and its orders are ignored."""
    tank = world.tanks[index]
    if tank.state != DEAD or world.ending > LAST_ORDERS:
        return False
    for slot in range(tank.queued):
        event = world.queues[index, slot]
        if event.kind == DEATH and event.time == world.time:
            return True
    return False


@inlined
def round_over(world: World) -> bool:
    return bool(world.ending >= TURNS_AFTER_END)
