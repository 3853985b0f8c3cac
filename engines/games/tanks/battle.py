"""Whole battles of house bots in compiled code, and their score columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from engines.games.tanks import bots, drivers
from engines.games.tanks.energy import total
from engines.games.tanks.layout import DEAD, World, new_world
from engines.games.tanks.mind import (
    DONE,
    close_eyes,
    close_frame,
    goes_on,
    interrupts,
    open_eyes,
    open_frame,
    reset_mind,
)
from engines.games.tanks.turn import play_turn, round_over, start_battle, start_round
from engines.jit import njit


class Bot(NamedTuple):
    """A house bot: its number for the kernels, and whether it is an AdvancedRobot."""

    number: int
    advanced: bool


_DUCK, _TARGET, _FIRE, _FIRST, _RAM_FIRE, _SPIN, _CRAZY, _CORNERS = range(1, 9)
_TRACKER, _TRACK_FIRE, _VELOCI, _WALLS = range(9, 13)

BOTS: dict[str, Bot] = {
    "SittingDuck": Bot(_DUCK, True),
    "Target": Bot(_TARGET, True),
    "Fire": Bot(_FIRE, False),
    "MyFirstRobot": Bot(_FIRST, False),
    "RamFire": Bot(_RAM_FIRE, False),
    "SpinBot": Bot(_SPIN, True),
    "Crazy": Bot(_CRAZY, True),
    "Corners": Bot(_CORNERS, False),
    "Tracker": Bot(_TRACKER, False),
    "TrackFire": Bot(_TRACK_FIRE, False),
    "VelociRobot": Bot(_VELOCI, True),
    "Walls": Bot(_WALLS, False),
}


@njit
def _run(world: World, index: int, frame: Any) -> int:
    """Let the program of this frame go on to its next blocking call or its end."""
    bot = world.minds[index].bot
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


@njit
def wake(world: World, index: int) -> None:
    """Let house bot `index` think until it has ordered something for the next turn."""
    mind, tank = world.minds[index], world.tanks[index]
    if mind.bot == 0:
        return
    if world.time == 0:
        reset_mind(mind)
    if mind.halted:
        return
    open_eyes(world, index)
    while True:
        if mind.depth == 0 or interrupts(world, index):
            frame = open_frame(world, index)
        elif goes_on(world, index):
            frame = world.frames[index, mind.depth - 1]
        else:
            break
        if _run(world, index, frame) != DONE:
            break
        close_frame(world, index)
    close_eyes(world, index)
    if tank.state == DEAD and mind.bot == _CORNERS:
        drivers.corners_death(world, index)


@njit
def play_battle(world: World, seed: int, scores: Any, turns: Any) -> None:
    """Play all rounds; `scores` gets a row per round and a column per seat, `turns` the lengths."""
    seats = world.seats
    start_battle(world, seed)
    for round_number in range(world.rounds):
        start_round(world)
        for index in range(seats):
            wake(world, index)
        while not round_over(world):
            play_turn(world)
            for index in range(seats):
                wake(world, index)
            if world.ending == 1:
                for index in range(seats):
                    scores[round_number, index] = round_score(world.tanks[index])
        turns[round_number] = world.time


@njit
def round_score(tank: Any) -> float:
    """The score of the running round, summed in the engine's order."""
    return (
        tank.bullet_damage
        + tank.ram_damage
        + tank.survival
        + tank.ram_bonus
        + tank.bullet_bonus
        + tank.last_survivor
    )


class Result(NamedTuple):
    """What a battle comes to."""

    columns: list[dict[str, int]]
    """Per seat, as Robocode reports them."""
    rounds: list[list[float]]
    """Per round the score of each seat."""
    turns: list[int]
    """Per round its length, the turns after its end included."""


def battle(
    names: Sequence[str],
    seed: int,
    rounds: int = 10,
    width: float = 800,
    height: float = 600,
    cooling: float = 0.1,
    inactivity: int = 450,
) -> Result:
    """A battle of house bots, all of it compiled."""
    world = new_world(len(names), width, height, rounds, cooling, inactivity)
    for index, name in enumerate(names):
        seat_bot(world, index, BOTS[name])
    scores = np.zeros((rounds, len(names)))
    turns = np.zeros(rounds, np.int64)
    play_battle(world, seed, scores, turns)
    return Result([columns(tank) for tank in world["tanks"][: len(names)]], scores.tolist(), turns.tolist())


def seat_bot(world: World, index: int, bot: Bot) -> None:
    """Put a house bot into a seat, before the battle starts."""
    world["minds"][index]["bot"] = bot.number
    world["tanks"][index]["advanced"] = bot.advanced
    world["tanks"][index]["last_bullet"] = 1


def _rounded(value: float) -> int:
    return int(value + 0.5)


def columns(tank: Any) -> dict[str, int]:
    """The score columns of the league, each rounded by itself as the engine does."""
    return {
        "score": _rounded(total(tank)),
        "survival": _rounded(tank["all_survival"]),
        "lastSurvivorBonus": _rounded(tank["all_last_survivor"]),
        "bulletDamage": _rounded(tank["all_bullet_damage"]),
        "bulletBonus": _rounded(tank["all_bullet_bonus"]),
        "ramDamage": _rounded(tank["all_ram_damage"]),
        "ramBonus": _rounded(tank["all_ram_bonus"]),
        "firsts": int(tank["firsts"]),
        "seconds": int(tank["seconds"]),
        "thirds": int(tank["thirds"]),
    }
