"""Tanks: a HaikuBot whose three orders are evolved expressions.

After chapter 8 of Sipper, "Evolved to Win" (Shichel, Ziserman and Sipper, "GP-Robocode: Using
Genetic Programming to Evolve Robocode Players").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engines.games import by_name
from engines.games.tanks.battle import battle
from engines.games.tanks.program import architecture
from engines.games.tanks.roster import BOTS
from engines.programs.code import Code, flatten
from engines.programs.trees import Architecture, Program
from evolve.breeding import Singles
from evolve.domain import Control, Designation, Domain
from evolve.fitness import FractionalScore
from evolve.growth import Limits
from evolve.islands import Islands
from evolve.meetings import Meeting

# 1. Program architecture: on a scan, how far to drive, to turn, and to turn the gun.


@dataclass(frozen=True)
class TankArena:
    """Duels on the usual field of 800 x 600. A game is a round, and a meeting one battle."""

    game: str = "tanks"

    @property
    def architecture(self) -> Architecture:
        return architecture(self.game)

    @property
    def house(self) -> Sequence[str]:
        return tuple(BOTS)

    @property
    def revision(self) -> int:
        return by_name(self.game).house_revision

    def player(self, program: Program) -> Code:
        return flatten(program)

    def house_player(self, name: str) -> str:
        return {bot: bot for bot in BOTS}[name]

    def meet(self, first: Code | str, second: Code | str, seed: int, games: int) -> Meeting:
        result = battle([first, second], seed, games)
        own, other = zip(*result.rounds, strict=True)
        executed = result.instructions
        return Meeting(tuple(own), tuple(other), (executed[0], executed[1]))


# 2. Terminals, 3. Functions: Table 8.1, as `engines.games.tanks.program.PRIMITIVES` has it.

# 4. Fitness: the fractional score against three adversaries, three rounds each, fixed for the run.

GUIDES = ("house:Walls", "house:TrackFire", "house:SpinBot")
"""The three strongest of those that ship, each with a way of moving of its own."""

EPSILON = 1.0
"""Of a score that reaches hundreds: it only decides among those who score nothing."""

# 5. Control parameters: those of section 8.2.4.


def domain(
    *,
    population: int = 256,
    generations: int = 400,
    plateau: int | None = 60,
    minutes: float | None = None,
    depth: int = 10,
    nodes: int = 300,
    rounds: int = 3,
    crossover: float = 0.95,
    mutation: float = 0.05,
    constants: float = 0.0,
    factors: float = 0.0,
    tournament: int = 5,
    elites: int = 2,
    islands: int = 1,
    finalists: int = 128,
    final_games: int = 100,
) -> Domain:
    """The domain with the book's parameters, or others."""
    arena = TankArena()
    return Domain(
        "tanks",
        arena.architecture,
        FractionalScore(rounds, EPSILON),
        arena,
        GUIDES,
        Control(
            population,
            Singles(crossover, mutation, constants, factors, tournament, elites),
            Limits(depth, nodes),
            islands=Islands(islands),
            generations=generations,
            minutes=minutes,
            plateau=plateau,
        ),
        # 6. Result designation and termination: 100 rounds against each of 12 adversaries. The
        # book ends a run by hand when fitness has stopped improving; here that is the plateau.
        Designation(
            judges=("house:Tracker", "house:RamFire", "house:Corners", "house:Crazy"),
            holdout=(
                *("house:VelociRobot", "house:MyFirstRobot", "house:Fire"),
                *("house:SittingDuck", "house:Target"),
            ),
            finalists=finalists,
            games=final_games,
            choosing_games=final_games,
        ),
    )


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "quick": {
        "population": 128,
        "generations": 60,
        "plateau": None,
        "constants": 0.1,
        "crossover": 0.8,
        "mutation": 0.1,
        "finalists": 16,
    },
}
