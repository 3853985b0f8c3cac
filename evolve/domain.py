"""What is evolved: the six parts that every domain states, after Sipper, Azaria, Hauptman and
Shichel, "Designing an Evolutionary Strategizing Machine for Game Playing and Beyond".

Program architecture, terminals and functions are an `Architecture`; fitness, control parameters,
and result designation and termination stand beside it.
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
"""As many as the ladder keeps in the lineage of a bot."""


@dataclass(frozen=True)
class Control:
    """Control parameters, and when a run ends."""

    population: int = 100
    """Of each island."""
    breeding: Breeding = field(default_factory=PairBreeding)
    limits: TreeLimits = field(default_factory=TreeLimits)
    ramp: range = range(2, 7)
    """Depths of the first trees."""
    islands: Islands = field(default_factory=Islands)
    generations: int = 100
    minutes: float | None = None
    """Ends the run after the generation in which so much time has passed."""
    plateau: int | None = None
    """Ends the run when the best fitness has not risen for so many generations."""

    def __post_init__(self) -> None:
        if not 2 <= self.population * self.islands.count <= MOST_INDIVIDUALS:
            raise BadParameter(
                f"a population has 2 to {MOST_INDIVIDUALS:,} individuals, "
                f"not {self.population * self.islands.count}"
            )
        if self.population < 2:
            raise BadParameter("each island has two individuals or more")
        if self.breeding.elites >= self.population:
            raise BadParameter("a population must be larger than the number of its elites")
        if not 1 <= self.generations <= 1_000_000:
            raise BadParameter(f"a run has 1 to 1,000,000 generations, not {self.generations}")
        if self.minutes is not None and not self.minutes > 0:
            raise BadParameter("a run lasts longer than no time")
        if self.plateau is not None and self.plateau < 1:
            raise BadParameter("a plateau lasts one generation or more")
        if not self.ramp or self.ramp[0] < 1 or self.ramp.step < 1:
            raise BadParameter("the first trees have depths from 1 on")

    def check_founders(self, founders: Sequence[Program]) -> None:
        """Raise `BadParameter` unless a first generation can begin with these."""
        if len(founders) > (most := min(self.population, MOST_FOUNDERS)):
            raise BadParameter(f"{len(founders)} founders are more than the {most} places for them")
        if founders and not self.breeding.takes_founders:
            raise BadParameter("weights are bred for one sum, so there are no other founders")
        for one in founders:
            depth = max(tree.depth for tree in one.trees)
            if depth > self.limits.depth or one.size > self.limits.nodes:
                raise BadParameter(
                    f"a founder of depth {depth} and {one.size} nodes exceeds the limits of "
                    f"{self.limits.depth} and {self.limits.nodes}"
                )


@dataclass(frozen=True)
class Designation:
    """How the champion is chosen: a contest of the finalists, longer than fitness ever is.

    Guides measure fitness; judges help to choose among the finalists; the hold-out is seen by
    neither, and shows what the champion is worth among strangers.
    """

    judges: tuple[str, ...] = ()
    holdout: tuple[str, ...] = ()
    finalists: int = 16
    """The best of the last generation, and the best of generations before it in equal number."""
    games: int = 1000
    """Of the champion against each opponent, for the report."""
    choosing_games: int = 100
    """Of each finalist against each guide and judge."""
    qualifying_games: int = 0
    """If there are any, all bests of earlier generations may become finalists, and so many games
    against each guide and judge decide who does."""
    arena: GameArena | None = None
    """Where finals are played, if not where fitness is measured."""
    options: Mapping[str, int] = field(default_factory=dict)
    """What changes for finalists, and for the champion from then on: a deeper search, say, than
    evolution had time for."""

    def __post_init__(self) -> None:
        if not 1 <= self.finalists <= MOST_INDIVIDUALS:
            raise BadParameter("there is one finalist or more")
        for games in (self.games, self.choosing_games):
            if not 1 <= games <= 1_000_000:
                raise BadParameter(f"a final has 1 to 1,000,000 games, not {games}")
        if not 0 <= self.qualifying_games <= 1_000_000:
            raise BadParameter("there are no fewer than no games to qualify")

    def enter(self, program: Program) -> Program:
        """A program as it plays in the finals."""
        return replace(program, options={**program.options, **self.options})


@dataclass(frozen=True)
class Domain:
    """All that is known of what is to be evolved."""

    name: str
    architecture: Architecture
    fitness: Fitness
    arena: GameArena | None = None
    """None where fitness needs no games."""
    guides: tuple[str, ...] = ()
    """Opponents that fitness uses if the user names none."""
    control: Control = field(default_factory=Control)
    designation: Designation = field(default_factory=Designation)
    options: Mapping[str, int] = field(default_factory=dict)
    """Those of all programs, such as how deep they search."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """With which the domain was made, for the record."""

    def __post_init__(self) -> None:
        self.control.breeding.check(self.architecture, self.control.limits)
        if self.guides and self.arena is None:
            raise BadParameter(f"{self.name} has guides but no arena")

    @property
    def game(self) -> str:
        return self.architecture.game

    @property
    def finals_arena(self) -> GameArena | None:
        return self.designation.arena or self.arena

    @property
    def finals_seats(self) -> int:
        """How many sit at a table of the finals."""
        arena = self.finals_arena
        return 2 if arena is None else arena.seats

    @property
    def needs_guides(self) -> bool:
        return needs_guides(self.fitness)
