"""Shots, and the flight of bullets."""

from __future__ import annotations

from typing import Any

from engines.games.tanks.energy import (
    gain_energy,
    kill,
    lose_energy,
    new_slot,
    score_bullet_damage,
    score_bullet_kill,
)
from engines.games.tanks.geometry import PI, in_box, relative, segment_meets_box, segments_cross
from engines.games.tanks.layout import (
    BULLET_HIT,
    BULLET_HIT_BULLET,
    BULLET_MISSED,
    DEAD,
    EXPLODED,
    FIRED,
    HIT_BY_BULLET,
    MOVING,
    STRUCK_BULLET,
    STRUCK_TANK,
    STRUCK_WALL,
    World,
)
from engines.games.tanks.messages import tell
from engines.games.tanks.random_stream import shuffle, shuffle_range
from engines.games.tanks.trigonometry import sin_cos
from engines.jit import njit

MIN_POWER, MAX_POWER = 0.1, 3.0
RADIUS = 3.0

# How many turns a hit and a wreck stay in the list of bullets; nothing but the order of play
# depends on it.
_HIT_STAYS, _WRECK_STAYS = 17, 71


@njit
def heat_of(power: float) -> float:
    return 1 + power / 5


@njit
def damage_of(power: float) -> float:
    damage = 4 * power
    if power > 1:
        damage += 2 * (power - 1)
    return damage


@njit
def fire_shots(world: World) -> None:
    """Take over orders, in list order: bullets start from where the last turn left their tank."""
    for index in range(len(world.tanks)):
        tank = world.tanks[index]
        if tank.shot and not tank.heat > 0 and tank.energy != 0:
            _fire(world, index)
        if tank.scan_order:
            tank.scanning = True


@njit
def _fire(world: World, index: int) -> None:
    tank = world.tanks[index]
    power = min(tank.energy, min(max(tank.shot_power, MIN_POWER), MAX_POWER))
    lose_energy(world.battle[0], tank, power)
    tank.heat += heat_of(power)
    bullet = world.bullets[new_slot(world)]
    bullet.state = FIRED
    bullet.frame = 0
    bullet.owner = index
    bullet.victim = -1
    bullet.number = tank.last_bullet
    bullet.power = power
    assisted = tank.swept_together and tank.shot_assisted and not tank.advanced
    bullet.heading = tank.shot_angle if assisted else tank.gun
    bullet.x = bullet.last_x = tank.x
    bullet.y = bullet.last_y = tank.y
    speed = 20 - 3 * min(max(power, MIN_POWER), MAX_POWER)
    sine, cosine = sin_cos(bullet.heading)
    bullet.step_x = speed * sine
    bullet.step_y = speed * cosine


@njit
def _strike_tank(world: World, bullet: Any, victim: int) -> None:
    battle, owner = world.battle[0], bullet.owner
    tank = world.tanks[victim]
    damage = damage_of(bullet.power)
    score = min(damage, tank.energy)
    lose_energy(battle, tank, damage)
    score_bullet_damage(world, owner, victim, score)
    if tank.energy <= 0:
        kill(world, victim)
        score_bullet_kill(world, owner, victim)
    gain_energy(battle, world.tanks[owner], 3 * bullet.power)

    event = tell(world, victim, HIT_BY_BULLET)
    event.bearing = relative(bullet.heading + PI - tank.body)
    event.heading = bullet.heading
    event.power = bullet.power
    event.other = owner
    event = tell(world, owner, BULLET_HIT)
    event.other = victim
    event.energy = tank.energy
    event.power = bullet.power
    event.number = bullet.number
    if in_box(bullet.last_x, bullet.last_y, tank.box_x, tank.box_y):
        bullet.x, bullet.y = bullet.last_x, bullet.last_y


@njit
def _check_tanks(world: World, bullet: Any, order: Any) -> None:
    for victim in order[: len(world.tanks)]:
        tank = world.tanks[victim]
        if (
            victim != bullet.owner
            and tank.state != DEAD
            and segment_meets_box(
                bullet.last_x, bullet.last_y, bullet.x, bullet.y, tank.box_x, tank.box_y
            )
        ):
            bullet.state = STRUCK_TANK
            bullet.frame = 0
            bullet.victim = victim
            _strike_tank(world, bullet, victim)
            return


@njit
def _tell_bullets(world: World, bullet: Any, other: Any) -> None:
    event = tell(world, bullet.owner, BULLET_HIT_BULLET)
    event.power = bullet.power
    event.number = bullet.number
    event.other = other.owner
    event.other_number = other.number
    event.energy = other.power


@njit
def _check_bullets(world: World, bullet: Any, order: Any, count: int) -> None:
    for slot in order[:count]:
        other = world.bullets[slot]
        # A bullet that has never moved has no line to cross.
        if (
            other.owner != bullet.owner
            and (other.state == MOVING or (other.state == FIRED and other.frame > 0))
            and segments_cross(
                other.last_x,
                other.last_y,
                other.x,
                other.y,
                bullet.last_x,
                bullet.last_y,
                bullet.x,
                bullet.y,
            )
        ):
            for struck in (bullet, other):
                struck.state = STRUCK_BULLET
                struck.frame = 0
                struck.x, struck.y = struck.last_x, struck.last_y
            _tell_bullets(world, bullet, other)
            _tell_bullets(world, other, bullet)
            return


@njit
def _fly(world: World, bullet: Any, tank_order: Any, bullet_order: Any, count: int) -> None:
    battle = world.battle[0]
    bullet.last_x, bullet.last_y = bullet.x, bullet.y
    bullet.x += bullet.step_x
    bullet.y += bullet.step_y
    # The wall comes first: a bullet that reaches it hits nobody in that step.
    if (
        bullet.x - RADIUS <= 0
        or bullet.y - RADIUS <= 0
        or bullet.x + RADIUS >= battle.width
        or bullet.y + RADIUS >= battle.height
    ):
        bullet.state = STRUCK_WALL
        bullet.frame = 0
        event = tell(world, bullet.owner, BULLET_MISSED)
        event.power = bullet.power
        event.number = bullet.number
        return
    _check_tanks(world, bullet, tank_order)
    if bullet.state <= MOVING:
        _check_bullets(world, bullet, bullet_order, count)
    if bullet.state == FIRED:
        bullet.state = MOVING


@njit
def _unlist(world: World, slot: int) -> None:
    battle = world.battle[0]
    place = 0
    while world.listed[place] != slot:
        place += 1
    battle.bullets -= 1
    for behind in range(place, battle.bullets):
        world.listed[behind] = world.listed[behind + 1]
    world.spare[battle.free] = slot
    battle.free += 1


@njit
def move_bullets(world: World) -> None:
    """Move all bullets in random order, each against tanks and bullets in random order."""
    battle = world.battle[0]
    order, bullet_order, tank_order = world.orders[0], world.orders[1], world.orders[2]
    moving = battle.bullets
    order[:moving] = world.listed[:moving]
    shuffle(battle, order, moving)
    for turn in range(moving):
        bullet = world.bullets[order[turn]]
        shuffle_range(battle, tank_order, len(world.tanks))
        listed = battle.bullets
        bullet_order[:listed] = world.listed[:listed]
        shuffle(battle, bullet_order, listed)
        bullet.frame += 1
        if bullet.state <= MOVING:
            _fly(world, bullet, tank_order, bullet_order, listed)
        elif bullet.frame >= (_WRECK_STAYS if bullet.state == EXPLODED else _HIT_STAYS):
            _unlist(world, order[turn])
