"""Shots, and the flight of bullets."""

from __future__ import annotations

from typing import Any

from engines.compiling.jit import njit
from engines.games.tanks.energy import (
    gain_energy,
    kill,
    lose_energy,
    new_slot,
    score_bullet_damage,
    score_bullet_kill,
)
from engines.games.tanks.geometry import (
    HALF_SIZE,
    PI,
    in_box,
    relative,
    segment_meets_box,
    segments_cross,
)
from engines.games.tanks.inlining import inlined
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
from engines.games.tanks.random_stream import (
    shuffle,
    shuffle_range,
    skip_bullet_shuffles,
    skip_shuffles,
)
from engines.games.tanks.trigonometry import sin_cos

MIN_POWER, MAX_POWER = 0.1, 3.0
RADIUS = 3.0

# Turns that a hit and a wreck stay in the list of bullets; only the order of play depends on it.
_HIT_STAYS, _WRECK_STAYS = 17, 71

_TANK_REACH = 20.0 + 18.0 + 1.0
"""A bullet's step farther from a tank's centre, along either axis, cannot touch it."""

_BULLET_REACH = 3 * 20.0
"""Bullets farther apart cannot meet: both move a step, and the last step may count, too."""


@njit
def heat_of(power: float) -> float:
    return 1 + power / 5


@njit
def damage_of(power: float) -> float:
    damage = 4 * power
    if power > 1:
        damage += 2 * (power - 1)
    return damage


@inlined
def fire_shots(world: World) -> None:
    """Fire the ordered shots, in list order: bullets start at the tank's place of the last turn."""
    for index in range(world.seats):
        tank = world.tanks[index]
        if tank.shot and not tank.heat > 0 and tank.energy != 0:
            _fire(world, index)
        if tank.scan_order:
            tank.scanning = True


@njit
def _fire(world: World, index: int) -> None:
    tank = world.tanks[index]
    power = min(tank.energy, min(max(tank.shot_power, MIN_POWER), MAX_POWER))
    lose_energy(world, tank, power)
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
    owner = bullet.owner
    tank = world.tanks[victim]
    damage = damage_of(bullet.power)
    score = min(damage, tank.energy)
    lose_energy(world, tank, damage)
    score_bullet_damage(world, owner, victim, score)
    if tank.energy <= 0:
        kill(world, victim)
        score_bullet_kill(world, owner, victim)
    gain_energy(world, world.tanks[owner], 3 * bullet.power)

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
def _check_tanks(world: World, bullet: Any) -> None:
    for place in range(world.seats):
        victim = world.tank_order[place] if bullet.near_tanks > 1 else place
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
def _strike(bullet: Any) -> None:
    bullet.state = STRUCK_BULLET
    bullet.frame = 0
    bullet.x, bullet.y = bullet.last_x, bullet.last_y


@njit
def _tell_bullets(world: World, bullet: Any, other: Any) -> None:
    event = tell(world, bullet.owner, BULLET_HIT_BULLET)
    event.power = bullet.power
    event.number = bullet.number
    event.other = other.owner
    event.other_number = other.number
    event.energy = other.power


@njit
def _check_bullets(world: World, bullet: Any, count: int) -> None:
    order = world.other_bullets if bullet.near_bullets > 1 else world.listed
    for place in range(count):
        other = world.bullets[order[place]]
        # A new bullet has no line to cross.
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
            _strike(bullet)
            _strike(other)
            _tell_bullets(world, bullet, other)
            _tell_bullets(world, other, bullet)
            return


@inlined
def _at_wall(world: World, x: float, y: float) -> bool:
    return (
        x - RADIUS <= 0
        or y - RADIUS <= 0
        or x + RADIUS >= world.width
        or y + RADIUS >= world.height
    )


@njit
def _fly(world: World, bullet: Any, count: int) -> None:
    bullet.last_x, bullet.last_y = bullet.x, bullet.y
    bullet.x += bullet.step_x
    bullet.y += bullet.step_y
    # The wall comes first: a bullet that reaches it hits no tank in that step.
    if _at_wall(world, bullet.x, bullet.y):
        bullet.state = STRUCK_WALL
        bullet.frame = 0
        event = tell(world, bullet.owner, BULLET_MISSED)
        event.power = bullet.power
        event.number = bullet.number
        return
    if bullet.near_tanks > 0:
        _check_tanks(world, bullet)
    if bullet.near_bullets > 0 and bullet.state <= MOVING:
        _check_bullets(world, bullet, count)
    if bullet.state == FIRED:
        bullet.state = MOVING


@njit
def _unlist(world: World, slot: int) -> None:
    place = 0
    while world.listed[place] != slot:
        place += 1
    world.count -= 1
    for behind in range(place, world.count):
        world.listed[behind] = world.listed[behind + 1]
    world.spare[world.free] = slot
    world.free += 1


@inlined
def _stays(bullet: Any) -> int:
    return _WRECK_STAYS if bullet.state == EXPLODED else _HIT_STAYS


@inlined
def _count_near_tanks(world: World, bullet: Any) -> None:
    bullet.near_tanks = 0
    for index in range(world.seats):
        tank = world.tanks[index]
        if (
            abs(bullet.x - tank.box_x - HALF_SIZE) < _TANK_REACH
            and abs(bullet.y - tank.box_y - HALF_SIZE) < _TANK_REACH
            and index != bullet.owner
            and tank.state != DEAD
        ):
            bullet.near_tanks += 1


@inlined
def _count_near_bullets(world: World, place: int) -> bool:
    """Count nearby bullets among those listed before; both bullets count each other."""
    bullet = world.bullets[world.listed[place]]
    bullet.near_bullets = 0
    for earlier in range(place):
        other = world.bullets[world.listed[earlier]]
        if (
            abs(bullet.x - other.x) < _BULLET_REACH
            and abs(bullet.y - other.y) < _BULLET_REACH
            and other.state <= MOVING
            and other.owner != bullet.owner
        ):
            bullet.near_bullets += 1
            other.near_bullets += 1
    return bool(bullet.near_bullets > 0)


@inlined
def _quiet(world: World) -> bool:
    """Count the tanks and bullets that each bullet may meet; whether none can meet at all."""
    quiet = True
    for place in range(world.count):
        bullet = world.bullets[world.listed[place]]
        if bullet.state > MOVING:
            if bullet.frame + 1 >= _stays(bullet):
                quiet = False
            continue
        _count_near_tanks(world, bullet)
        if (
            _count_near_bullets(world, place)
            or bullet.near_tanks > 0
            or _at_wall(world, bullet.x + bullet.step_x, bullet.y + bullet.step_y)
        ):
            quiet = False
    return quiet


@inlined
def _fly_on(world: World) -> None:
    for place in range(world.count):
        bullet = world.bullets[world.listed[place]]
        bullet.frame += 1
        if bullet.state <= MOVING:
            bullet.state = MOVING
            bullet.last_x, bullet.last_y = bullet.x, bullet.y
            bullet.x += bullet.step_x
            bullet.y += bullet.step_y


@inlined
def _draw_orders(world: World, bullet: Any) -> None:
    """Draw the orders of checks of one bullet; shuffles only if the order matters."""
    seats, listed = world.seats, world.count
    flying = bullet.state <= MOVING
    if flying and bullet.near_tanks > 1:
        shuffle_range(world, world.tank_order, seats)
    else:
        skip_shuffles(world, 1, seats)
    if flying and bullet.near_bullets > 1:
        for place in range(listed):
            world.other_bullets[place] = world.listed[place]
        shuffle(world, world.other_bullets, listed)
    else:
        skip_shuffles(world, 1, listed)


@njit
def move_bullets(world: World) -> None:
    """Move all bullets in random order, each against tanks and bullets in random order."""
    moving = world.count
    if moving == 0:
        return
    if _quiet(world):
        skip_bullet_shuffles(world, moving)
        _fly_on(world)
        return
    for place in range(moving):
        world.bullet_order[place] = world.listed[place]
    shuffle(world, world.bullet_order, moving)
    for turn in range(moving):
        slot = world.bullet_order[turn]
        bullet = world.bullets[slot]
        _draw_orders(world, bullet)
        bullet.frame += 1
        if bullet.state <= MOVING:
            _fly(world, bullet, world.count)
        elif bullet.frame >= _stays(bullet):
            _unlist(world, slot)
