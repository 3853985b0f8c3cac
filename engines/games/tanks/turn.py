"""Rounds and turns: the order in which everything happens."""

from __future__ import annotations

from engines.games.tanks.energy import LAST_ORDERS, add_totals, clear_scores
from engines.games.tanks.geometry import TWO_PI, boxes_overlap
from engines.games.tanks.gunnery import fire_shots, move_bullets
from engines.games.tanks.layout import ACTIVE, DEAD, ROBOT_DEATH, WIN, World
from engines.games.tanks.messages import tell
from engines.games.tanks.motion import MAX_TURN, MAX_VELOCITY, move_tank, set_box
from engines.games.tanks.orders import forget_orders
from engines.games.tanks.radar import scan
from engines.games.tanks.random_stream import (
    next_double,
    seed_stream,
    shuffle,
    shuffle_range,
    skip_shuffle,
)
from engines.jit import njit

TURNS_AFTER_END = 151
"""How long a round goes on from the turn in which at most one tank is left, that turn included."""

_START_ENERGY, _START_HEAT = 100.0, 3.0
_MARGIN = 36.0


@njit
def start_battle(world: World, seed: int) -> None:
    """Begin at round -1: `start_round` comes next."""
    battle = world.battle[0]
    seed_stream(battle, seed)
    if battle.fixed:
        # The engine draws a random place for each fixed one and throws it away.
        for _ in range(3 * len(world.tanks)):
            next_double(battle)
    battle.round = -1
    battle.activity = 0.0


@njit
def _spot_is_free(world: World, index: int) -> bool:
    tank = world.tanks[index]
    for other in range(len(world.tanks)):
        taken = world.tanks[other]
        # In later rounds a tank not yet placed stands where the last round left its box.
        if (
            other != index
            and taken.placed
            and boxes_overlap(tank.box_x, tank.box_y, taken.box_x, taken.box_y)
        ):
            return False
    return True


@njit
def _place(world: World, index: int) -> None:
    battle, tank = world.battle[0], world.tanks[index]
    if battle.fixed:
        tank.x, tank.y, tank.body = world.starts[index]
        set_box(tank)
        if _spot_is_free(world, index):
            return
    for _ in range(1000):
        tank.x = _MARGIN + next_double(battle) * (battle.width - 2 * _MARGIN)
        tank.y = _MARGIN + next_double(battle) * (battle.height - 2 * _MARGIN)
        tank.body = TWO_PI * next_double(battle)
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
    battle = world.battle[0]
    battle.round += 1
    battle.time = battle.idle = battle.ending = battle.deaths = battle.bullets = 0
    battle.alive = len(world.tanks)
    battle.free = len(world.spare)
    for slot in range(len(world.spare)):
        world.spare[slot] = len(world.spare) - 1 - slot
    world.damage[:] = 0.0
    for index in range(len(world.tanks)):
        _place(world, index)
        _reset_tank(world, index)
    skip_shuffle(battle, len(world.tanks))


@njit
def _move_tanks(world: World) -> None:
    battle, seats = world.battle[0], len(world.tanks)
    order, others = world.orders[2], world.orders[3]
    zapping = battle.idle > battle.inactivity
    shuffle_range(battle, order, seats)
    for turn in range(seats):
        shuffle_range(battle, others, seats)
        move_tank(world, order[turn], others, zapping)
    shuffle_range(battle, order, seats)
    for turn in range(seats):
        shuffle_range(battle, others, seats)
        scan(world, order[turn], others)


@njit
def _count_alive(world: World) -> int:
    alive = 0
    for tank in world.tanks:
        if tank.state != DEAD:
            alive += 1
    return alive


@njit
def _bury(world: World) -> None:
    """Score this turn's deaths, by who is alive after the turn."""
    battle, seats = world.battle[0], len(world.tanks)
    alive = _count_alive(world)
    shuffle(battle, world.dead, battle.deaths)
    for place in range(battle.deaths):
        dead = world.tanks[world.dead[place]]
        if alive == 0:
            # A winner that dies after the end of the round has its first place already.
            if not dead.winner:
                dead.firsts += 1
        elif alive == 1:
            dead.seconds += 1
        elif alive == 2:
            dead.thirds += 1
        skip_shuffle(battle, seats)
        for index in range(seats):
            tank = world.tanks[index]
            if tank.state != DEAD:
                tell(world, index, ROBOT_DEATH).other = world.dead[place]
                tank.survival += 50
    battle.deaths = 0


@njit
def _end_round(world: World) -> None:
    battle, seats = world.battle[0], len(world.tanks)
    if battle.ending == 0:
        skip_shuffle(battle, seats)
        for index in range(seats):
            tank = world.tanks[index]
            if tank.state != DEAD:
                tank.last_survivor += 10 * (seats - 1)
                tank.firsts += 1
                tank.winner = True
                tell(world, index, WIN)
            add_totals(tank)
    battle.ending += 1


@njit
def play_turn(world: World) -> None:
    """One turn with the orders given; the events that follow from it wait in the queues."""
    battle = world.battle[0]
    battle.time += 1
    fire_shots(world)
    move_bullets(world)
    _move_tanks(world)
    _bury(world)
    battle.alive = _count_alive(world)
    if battle.alive <= 1:
        _end_round(world)
    battle.idle += 1
    # The robots are woken in random order, which none of them can notice.
    skip_shuffle(battle, len(world.tanks))


@njit
def awake(world: World, index: int) -> bool:
    """Whether the robot is asked for orders now. The dead get a last word, but no hearing."""
    return world.tanks[index].state != DEAD and world.battle[0].ending <= LAST_ORDERS


@njit
def round_over(world: World) -> bool:
    return world.battle[0].ending >= TURNS_AFTER_END
