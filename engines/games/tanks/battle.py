"""Whole battles of house bots and programs in compiled code, and their score columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from engines.compiling.jit import njit
from engines.games.tanks.energy import round_score
from engines.games.tanks.layout import MAX_TANKS, new_worlds
from engines.games.tanks.program import new_seat_programs
from engines.games.tanks.roster import BOTS, PROGRAM, HouseTank, wake_bot
from engines.games.tanks.turn import play_turn, round_over, start_battle, start_round
from engines.programs.code import Code

_MASK = (1 << 64) - 1


@njit
def play_battle(worlds: Any, seat_programs: Any, seed: int, scores: Any, turns: Any) -> None:
    """Play all rounds; `scores` gets a row per round and a column per seat, `turns` the lengths."""
    world, programs = worlds[0], seat_programs[0]
    seats = world.seats
    start_battle(world, seed)
    for round_number in range(world.rounds):
        start_round(world)
        for index in range(seats):
            wake_bot(world, index, programs)
        while not round_over(world):
            play_turn(world)
            for index in range(seats):
                wake_bot(world, index, programs)
            if world.ending == 1:
                for index in range(seats):
                    scores[round_number, index] = round_score(world.tanks[index])
        turns[round_number] = world.time


class BattleResult(NamedTuple):
    """The result of a battle."""

    columns: list[dict[str, int]]
    """Score columns per seat, as in Robocode's report."""
    rounds: list[list[float]]
    """The score of each seat, per round."""
    turns: list[int]
    """The length of each round, including the turns after its end."""
    instructions: list[int]
    """Instructions executed by the program of each seat; 0 for house bots."""


def battle(
    entrants: Sequence[str | Code],
    seed: int,
    rounds: int = 10,
    width: float = 800,
    height: float = 600,
    cooling: float = 0.1,
    inactivity: int = 450,
) -> BattleResult:
    """Play a battle of house bots (by name) and programs, completely compiled.

    The random numbers of programs follow from the seed too.
    """
    seats = len(entrants)
    worlds = new_worlds(seats, width, height, rounds, cooling, inactivity)
    for index, entrant in enumerate(entrants):
        if isinstance(entrant, Code):
            seat_program(worlds, index, (seed * MAX_TANKS + index) & _MASK)
        else:
            seat_bot(worlds, index, BOTS[entrant])
    seat_programs = new_seat_programs([e if isinstance(e, Code) else None for e in entrants])
    scores = np.zeros((rounds, seats))
    turns = np.zeros(rounds, np.int64)
    play_battle(worlds, seat_programs, seed, scores, turns)
    tanks = worlds["tanks"][0, :seats]
    # The last slot of a program's memory counts.
    executed = seat_programs["seats"]["memory"][0, :seats, -1].astype(int).tolist()
    return BattleResult(
        [columns(tank) for tank in tanks], scores.tolist(), turns.tolist(), executed
    )


def seat_bot(worlds: Any, index: int, bot: HouseTank) -> None:
    """Put a house bot into a seat, before the battle starts."""
    worlds["minds"]["bot"][0, index] = bot.number
    worlds["tanks"]["advanced"][0, index] = bot.advanced


def seat_program(worlds: Any, index: int, seed: int) -> None:
    """Put a program into a seat, with the seed of its random numbers."""
    seat_bot(worlds, index, PROGRAM)
    worlds["minds"]["random"][0, index] = seed


def total(tank: Any) -> float:
    """The score of all completed rounds, summed in the engine's order."""
    names = ("bullet_damage", "ram_damage", "survival", "ram_bonus", "bullet_bonus")
    return float(sum(tank[f"all_{name}"] for name in (*names, "last_survivor")))


def _rounded(value: float) -> int:
    return int(value + 0.5)


COLUMN_TITLES = {
    "score": "Total score",
    "survival": "Survival",
    "lastSurvivorBonus": "Last survivor bonus",
    "bulletDamage": "Bullet damage",
    "bulletBonus": "Bullet bonus",
    "ramDamage": "Ram damage",
    "ramBonus": "Ram bonus",
    "firsts": "Firsts",
    "seconds": "Seconds",
    "thirds": "Thirds",
}
"""The headings of `columns`."""


def columns(tank: Any) -> dict[str, int]:
    """The score columns of the league; like the engine, it rounds each column separately."""
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
