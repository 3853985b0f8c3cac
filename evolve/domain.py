"""Domains: the definition of one evolution in six parts, after Sipper, Azaria, Hauptman and
Shichel, "Designing an Evolutionary Strategizing Machine for Game Playing and Beyond".

An `Architecture` holds program architecture, terminals and functions. The other parts are fitness,
control parameters, and result designation with termination.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engines.programs.trees import Architecture, Program
from evolve.errors import BadParameter
from evolve.fitness.measures import Fitness, needs_guides
from evolve.fitness.meetings import GameArena
from evolve.operators.breeding import Breeding, PairBreeding
from evolve.operators.growth import TreeLimits
from evolve.operators.islands import Islands

MOST_INDIVIDUALS = 100_000
MOST_FOUNDERS = 100
"""The ladder keeps this many in the lineage of a bot."""


@dataclass(frozen=True)
class Control:
    """Control parameters, and the end of a run."""

    population: int = 100
    """Individuals on each island."""
    breeding: Breeding = field(default_factory=PairBreeding)
    limits: TreeLimits = field(default_factory=TreeLimits)
    ramp: range = range(2, 7)
    """Depths of the first trees."""
    islands: Islands = field(default_factory=Islands)
    generations: int = 100
    minutes: float | None = None
    """The run ends after the generation in which this time has passed."""
    plateau: int | None = None
    """The run ends when the best fitness has not risen for this many generations."""

    def __post_init__(self) -> None:
        if not 2 <= self.population * self.islands.count <= MOST_INDIVIDUALS:
            raise BadParameter(
                f"population times islands must be 2 to {MOST_INDIVIDUALS:,}, "
                f"not {self.population * self.islands.count}"
            )
        if self.population < 2:
            raise BadParameter(
                f"population must be at least 2 on each island, not {self.population}"
            )
        if self.breeding.elites >= self.population:
            raise BadParameter(f"elites must be fewer than the population of {self.population}")
        if not 1 <= self.generations <= 1_000_000:
            raise BadParameter(f"generations must be 1 to 1,000,000, not {self.generations}")
        if self.minutes is not None and not self.minutes > 0:
            raise BadParameter(f"minutes must be positive, not {self.minutes:g}")
        if self.plateau is not None and self.plateau < 1:
            raise BadParameter(f"plateau must be at least 1 generation, not {self.plateau}")
        if not self.ramp or self.ramp[0] < 1 or self.ramp.step < 1:
            raise BadParameter("the depths of the first trees must be at least 1 and rise")

    def check_founders(self, founders: Sequence[Program]) -> None:
        """Raise `BadParameter` unless a first generation can begin with these programs."""
        if len(founders) > (most := min(self.population, MOST_FOUNDERS)):
            raise BadParameter(f"at most {most} founders are possible, not {len(founders)}")
        if founders and not self.breeding.takes_founders:
            raise BadParameter("founders are not possible when weights are bred: leave them out")
        for one in founders:
            depth = max(tree.depth for tree in one.trees)
            if depth > self.limits.depth or one.size > self.limits.nodes:
                raise BadParameter(
                    f"a founder with depth {depth} and {one.size} nodes exceeds the limits "
                    f"{self.limits.depth} and {self.limits.nodes}"
                )


@dataclass(frozen=True)
class Designation:
    """The choice of the champion: a contest of the finalists, longer than any fitness measurement.

    Guides measure fitness; judges help to choose among the finalists; the hold-out takes part in
    neither, and shows the champion's strength against new opponents.
    """

    judges: tuple[str, ...] = ()
    holdout: tuple[str, ...] = ()
    finalists: int = 16
    """The best of the last generation, and as many bests of earlier generations."""
    games: int = 1000
    """Games of the champion against each opponent, for the report."""
    choosing_games: int = 100
    """Games of each finalist against each guide and judge."""
    qualifying_games: int = 0
    """If above 0, the bests of all generations compete for the places of finalists, with this many
    games against each guide and judge."""
    arena: GameArena | None = None
    """The arena of the finals, if it differs from that of fitness."""
    options: Mapping[str, int] = field(default_factory=dict)
    """Options that change for finalists and for the champion, such as a deeper search than
    evolution had time for."""

    def __post_init__(self) -> None:
        if not 1 <= self.finalists <= MOST_INDIVIDUALS:
            raise BadParameter(f"finalists must be 1 to {MOST_INDIVIDUALS:,}, not {self.finalists}")
        for games in (self.games, self.choosing_games):
            if not 1 <= games <= 1_000_000:
                raise BadParameter(
                    f"final_games and choosing_games must be 1 to 1,000,000, not {games}"
                )
        if not 0 <= self.qualifying_games <= 1_000_000:
            raise BadParameter(
                f"qualifying_games must be 0 to 1,000,000, not {self.qualifying_games}"
            )

    def enter(self, program: Program) -> Program:
        """A program as it plays in the finals."""
        return replace(program, options={**program.options, **self.options})


@dataclass(frozen=True)
class Domain:
    """The complete definition of one evolution."""

    name: str
    architecture: Architecture
    fitness: Fitness
    arena: GameArena | None = None
    """None if fitness needs no games."""
    guides: tuple[str, ...] = ()
    """Opponents that fitness uses if the user names none."""
    control: Control = field(default_factory=Control)
    designation: Designation = field(default_factory=Designation)
    options: Mapping[str, int] = field(default_factory=dict)
    """Options of all programs, such as their search depth."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The parameters that made the domain, for the record."""

    def __post_init__(self) -> None:
        self.control.breeding.check(self.architecture, self.control.limits)
        if self.guides and self.arena is None:
            raise BadParameter(
                f"{self.name} has guides but no arena: it needs an arena to play them"
            )

    @property
    def game(self) -> str:
        return self.architecture.game

    @property
    def finals_arena(self) -> GameArena | None:
        return self.designation.arena or self.arena

    @property
    def finals_seats(self) -> int:
        """The number of players at a table of the finals."""
        arena = self.finals_arena
        return 2 if arena is None else arena.seats

    @property
    def needs_guides(self) -> bool:
        return needs_guides(self.fitness)
