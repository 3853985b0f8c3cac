"""Tanks melee: the HaikuBot of the domain `tanks`, evolved in battles of all against all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evolve.domain import Designation, Domain
from evolve.domains.tanks import EPSILON, QUICK, TankArena, TanksDomain
from evolve.fitness.measures import FractionalScore

# 1. Program architecture, 2. Terminals and 3. Functions: those of the domain `tanks`. A program
# sees the tank that its radar found last, and does not know the number of the others.

# 4. Fitness: the share of all points at a table with four house bots, fixed for the run.

GUIDES = ("house:Walls", "house:SpinBot", "house:Crazy", "house:RamFire")
"""House bots that are strong in melees and move differently: along the walls, in circles, back and
forth in curves, and straight at others."""


@dataclass(frozen=True, kw_only=True)
class TanksMelee(TanksDomain):
    """5. Control parameters: those of `tanks`, with more rounds, since melees vary more."""

    rounds: int = 10
    """Rounds at each table of guides: two on each seat."""
    seats: int = 5
    """Five seats make three tables of four opponents of the twelve house bots: guides, judges and
    hold-out. A round of ten tanks, as on the ladder, takes two and a half times as long."""

    @property
    def designation(self) -> Designation:
        """6. Result designation and termination: 100 rounds at each of the three tables."""
        return Designation(
            judges=("house:Tracker", "house:VelociRobot", "house:Fire", "house:Corners"),
            holdout=(
                "house:TrackFire",
                "house:MyFirstRobot",
                "house:SittingDuck",
                "house:Target",
            ),
            finalists=self.finalists,
            games=self.final_games,
            choosing_games=self.final_games,
        )

    def domain(self) -> Domain:
        arena = TankArena("tanks-melee", self.seats)
        return Domain(
            name="tanks-melee",
            architecture=arena.architecture,
            fitness=FractionalScore(self.rounds, EPSILON),
            arena=arena,
            guides=GUIDES,
            control=self.control,
            designation=self.designation,
        )


PARAMETERS = TanksMelee

PRESETS: Mapping[str, Mapping[str, Any]] = {"quick": QUICK}
