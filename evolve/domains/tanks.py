"""Tanks: a HaikuBot whose three orders are evolved expressions.

After chapter 8 of Sipper, "Evolved to Win" (Shichel, Ziserman and Sipper, "GP-Robocode: Using
Genetic Programming to Evolve Robocode Players").
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.competition import listed
from engines.games import find_game
from engines.games.tanks.battle import battle
from engines.games.tanks.program import INPUTS, architecture
from engines.games.tanks.roster import BOTS
from engines.games.tanks.simulation import Tanks as TankGame
from engines.programs.code import Code, flatten
from engines.programs.trees import Architecture, Program
from evolve.domain import Control, Designation, Domain
from evolve.errors import BadParameter
from evolve.fitness.measures import FractionalScore
from evolve.fitness.meetings import TableResult
from evolve.operators.breeding import SingleOperatorBreeding
from evolve.operators.growth import TreeLimits
from evolve.operators.islands import Islands

_MASK = (1 << 63) - 1

# 1. Program architecture: on a scan, how far to drive, to turn, and to turn the gun.


@dataclass(frozen=True)
class TankArena:
    """Battles on the field of one of the games of tanks. A game is a round."""

    game: str = "tanks"
    seats: int = 2

    def __post_init__(self) -> None:
        if self.seats not in (allowed := self._rules.seats):
            raise BadParameter(f"{self.game} has {listed(allowed)} seats, not {self.seats}")

    @property
    def _rules(self) -> TankGame:
        found = find_game(self.game)
        assert isinstance(found, TankGame)
        return found

    @property
    def architecture(self) -> Architecture:
        return architecture(self.game)

    @property
    def house(self) -> Sequence[str]:
        return tuple(BOTS)

    @property
    def revision(self) -> int:
        return self._rules.house_revision

    def player(self, program: Program) -> Code:
        return flatten(program)

    def house_player(self, name: str) -> str:
        return {bot: bot for bot in BOTS}[name]

    def meet(self, players: Sequence[Code | str], seed: int, games: int) -> TableResult:
        """Duels are one battle; more than two players fight one battle per rotation of the seats.

        Duels do not rotate: every round draws new places for the tanks.
        """
        count, rules = self.seats, self._rules
        turns = 1 if count == 2 else min(count, games)
        scores: list[list[float]] = [[] for _ in players]
        executed = [0] * count
        for turn in range(turns):
            seated = [players[seat - turn] for seat in range(count)]
            rounds = len(range(turn, games, turns))
            result = battle(seated, (seed + turn) & _MASK, rounds, rules.width, rules.height)
            for player in range(count):
                seat = (player + turn) % count
                scores[player] += [one[seat] for one in result.rounds]
                executed[player] += result.instructions[seat]
        return TableResult(tuple(tuple(one) for one in scores), tuple(executed))

    def situations(self, random: np.random.Generator, count: int) -> Any:
        """Random states of two tanks."""
        size = np.array((float(self._rules.width), float(self._rules.height)))
        inputs = np.zeros((count, INPUTS))
        for row in inputs:
            here, there = random.uniform(18, size - 18), random.uniform(18, size - 18)
            heading, other = random.uniform(0, 2 * math.pi, 2)
            east, north = there - here
            bearing = math.atan2(east, north) - heading
            row[:6] = random.uniform(1, 100), heading, *here, *size
            row[6:] = (
                math.remainder(bearing, 2 * math.pi),
                math.dist(here, there),
                random.uniform(-8, 8),
                math.remainder(other - heading, 2 * math.pi),
                random.uniform(1, 100),
            )
        return inputs


# 2. Terminals, and 3. Functions: Table 8.1, in `engines.games.tanks.program.PRIMITIVES`.

# 4. Fitness: the fractional score against three adversaries, three rounds each, fixed for the run.

GUIDES = ("house:Walls", "house:TrackFire", "house:SpinBot")
"""The three strongest house bots, each with its own way of moving."""

EPSILON = 1.0
"""Small against scores of hundreds: it only decides between programs without points."""


@dataclass(frozen=True, kw_only=True)
class TanksDomain:
    """5. Control parameters: by default those of section 8.2.4."""

    population: int = 256
    generations: int = 400
    plateau: int | None = 60
    """The book ends a run by hand when fitness has not improved for several generations."""
    minutes: float | None = None
    depth: int = 10
    """Depth of the trees."""
    nodes: int = 300
    rounds: int = 3
    """Rounds against each guide."""
    crossover: float = 0.95
    mutation: float = 0.05
    constants: float = 0.0
    factors: float = 0.0
    tournament: int = 5
    elites: int = 2
    islands: int = 1
    finalists: int = 128
    final_games: int = 100

    @property
    def control(self) -> Control:
        return Control(
            self.population,
            SingleOperatorBreeding(
                crossover=self.crossover,
                mutation=self.mutation,
                constants=self.constants,
                factors=self.factors,
                tournament=self.tournament,
                elites=self.elites,
            ),
            TreeLimits(self.depth, self.nodes),
            islands=Islands(self.islands),
            generations=self.generations,
            minutes=self.minutes,
            plateau=self.plateau,
        )

    @property
    def designation(self) -> Designation:
        """6. Result designation and termination: 100 rounds against each of 12 adversaries."""
        return Designation(
            judges=("house:Tracker", "house:RamFire", "house:Corners", "house:Crazy"),
            holdout=(
                "house:VelociRobot",
                "house:MyFirstRobot",
                "house:Fire",
                "house:SittingDuck",
                "house:Target",
            ),
            finalists=self.finalists,
            games=self.final_games,
            choosing_games=self.final_games,
        )

    def domain(self) -> Domain:
        arena = TankArena()
        fitness = FractionalScore(self.rounds, EPSILON)
        return Domain(
            name="tanks",
            architecture=arena.architecture,
            fitness=fitness,
            arena=arena,
            guides=GUIDES,
            control=self.control,
            designation=self.designation,
        )


PARAMETERS = TanksDomain

QUICK: Mapping[str, Any] = {
    "population": 128,
    "generations": 60,
    "plateau": None,
    "crossover": 0.8,
    "mutation": 0.1,
    "constants": 0.1,
    "finalists": 16,
}
"""A champion in a few minutes, in duels and in melees."""

PRESETS: Mapping[str, Mapping[str, Any]] = {"quick": QUICK}
