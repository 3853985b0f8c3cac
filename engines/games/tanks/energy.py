"""Energy, activity, death and their scores."""

from __future__ import annotations

from typing import Any

from engines.compiling.jit import njit
from engines.games.tanks.layout import DEAD, DEATH, EXPLODED, World
from engines.games.tanks.messages import tell

DISABLED_BELOW = 0.01

LAST_ORDERS = 122
"""In this turn after the end robots give their last orders, which then stay in force."""


@njit
def note_activity(world: World, loss: float) -> None:
    """Delay the inactivity zap for every ten points of lost energy of all robots."""
    if loss < 0:
        return
    world.activity += loss
    while world.activity >= 10:
        world.activity -= 10
        world.idle = 0


@njit
def set_energy(tank: Any, energy: float) -> None:
    """Set the energy; a tank without energy stops."""
    tank.energy = energy
    if energy < DISABLED_BELOW:
        tank.energy = 0.0
        tank.distance = 0.0
        tank.turn = 0.0


@njit
def lose_energy(world: World, tank: Any, loss: float) -> None:
    """Lose energy; the whole loss counts as activity, even if the tank has less."""
    energy = tank.energy + -loss
    if energy != tank.energy:
        note_activity(world, tank.energy - energy)
    set_energy(tank, energy)


@njit
def gain_energy(world: World, tank: Any, gain: float) -> None:
    """Gain energy for a hit. Gains are not activity; dead and disabled tanks gain nothing."""
    if tank.state != DEAD and not tank.drained and world.ending < LAST_ORDERS:
        set_energy(tank, tank.energy + gain)


@njit
def new_slot(world: World) -> int:
    """A free bullet slot, appended to the list of bullets."""
    world.free -= 1
    slot = int(world.spare[world.free])
    world.listed[world.count] = slot
    world.count += 1
    return slot


@njit
def kill(world: World, index: int) -> None:
    """Kill tank `index`: it gets the event, and its wreck joins the bullets."""
    tank = world.tanks[index]
    note_activity(world, 10.0)
    tell(world, index, DEATH)
    world.dead[world.deaths] = index
    world.deaths += 1
    wreck = world.bullets[new_slot(world)]
    wreck.state = EXPLODED
    wreck.frame = 0
    wreck.owner = index
    if tank.energy != 0:
        note_activity(world, tank.energy)
    tank.energy = 0.0
    tank.distance = 0.0
    tank.turn = 0.0
    tank.state = DEAD
    world.alive -= 1


@njit
def score_bullet_damage(world: World, owner: int, victim: int, damage: float) -> None:
    if not world.tanks[owner].excluded:
        world.damage[owner, victim] += damage
        world.tanks[owner].bullet_damage += damage


@njit
def score_bullet_kill(world: World, owner: int, victim: int) -> None:
    if not world.tanks[owner].excluded:
        world.tanks[owner].bullet_bonus += world.damage[owner, victim] * 0.20


@njit
def score_ram(world: World, owner: int, victim: int) -> None:
    if not world.tanks[owner].excluded:
        world.damage[owner, victim] += 0.6
        world.tanks[owner].ram_damage += 1.2


@njit
def score_ram_kill(world: World, owner: int, victim: int) -> None:
    if not world.tanks[owner].excluded:
        world.tanks[owner].ram_bonus += world.damage[owner, victim] * 0.30


@njit
def clear_scores(tank: Any) -> None:
    tank.survival = 0.0
    tank.last_survivor = 0.0
    tank.bullet_damage = 0.0
    tank.bullet_bonus = 0.0
    tank.ram_damage = 0.0
    tank.ram_bonus = 0.0


@njit
def exclude(world: World, index: int) -> None:
    """Remove a failing robot from the round: it dies and loses its points of the round."""
    tank = world.tanks[index]
    clear_scores(tank)
    tank.excluded = True
    if tank.state != DEAD:
        tank.state = DEAD
        tank.energy = 0.0
        world.alive -= 1


@njit
def add_totals(tank: Any) -> None:
    """Add the points of a completed round to the totals."""
    tank.all_survival += tank.survival
    tank.all_last_survivor += tank.last_survivor
    tank.all_bullet_damage += tank.bullet_damage
    tank.all_bullet_bonus += tank.bullet_bonus
    tank.all_ram_damage += tank.ram_damage
    tank.all_ram_bonus += tank.ram_bonus


@njit
def round_score(tank: Any) -> float:
    """The score of the running round, summed in the engine's order."""
    return float(
        tank.bullet_damage
        + tank.ram_damage
        + tank.survival
        + tank.ram_bonus
        + tank.bullet_bonus
        + tank.last_survivor
    )
