"""Backgammon: a tree for positions with contact and one for races.

After chapter 7 of Sipper, "Evolved to Win" (Azaria and Sipper, "GP-Gammon: Genetically Programming
Backgammon Players").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engines.games.backgammon.pubeval import CONTACT, RACE
from engines.programs.board import MOST_DEPTH
from engines.programs.trees import MOST_NODES
from evolve.domain import Control, Designation, Domain
from evolve.errors import BadParameter
from evolve.fitness.boards import BoardArena
from evolve.fitness.measures import Fitness, FractionalScore, SingleElimination
from evolve.operators.breeding import Breeding, EvolutionStrategy, SingleOperatorBreeding
from evolve.operators.growth import TreeLimits
from evolve.operators.islands import Islands

# 1. Program architecture: a contact tree and a race tree. They value the board after the own turn,
#    without look-ahead (`engines.games.backgammon.programs`).
# 2. Terminals: Tables 7.1 and 7.2.
# 3. Functions: Table 7.3.
# 4. Fitness: the share of the points in 100 games against Pubeval; or co-evolution, a tournament by
#    single elimination with 50 games a pairing.

ALL_TERMS = (
    "Player-Exposed,Player-Blocked,Player-Tower,Enemy-Exposed,Enemy-Blocked,"
    "Player-Pip,Enemy-Pip,Total-Hit-Prob,Player-Escape,Enemy-Escape,Player-Position"
)


STARTS = ("", "pubeval")


def pubeval_terms() -> dict[str, float]:
    """The weights of Pubeval as weights of terms, as near as sums of these terminals come."""
    found: dict[str, float] = {}
    for point in range(1, 25):
        row = 5 * (24 - point)
        blot, one, more, three, rest = CONTACT[row : row + 5]
        found[f"Enemy-Exposed {point}"] = blot
        found[f"Player-Exposed {point}"] = one
        found[f"Player-Blocked {point}"] = more
        # The straight line through three, four and five men.
        found[f"Player-Tower {point}"] = (three + 4 * rest) / 14
        _, one, more, three, rest = RACE[row : row + 5]
        worths = (one, more, more + three, more + rest / 2, more + rest)
        line = sum(men * worth for men, worth in enumerate(worths, 1)) / 55
        found[f"Player-Position {point}"] = line
    bar, off = CONTACT[120:]
    found |= {"Enemy-Exposed 0": bar / 2, "Enemy-Blocked 0": bar}
    found |= {"Player-Exposed 25": off / 15, "Player-Blocked 25": off / 7.5}
    return found | {"Player-Tower 25": off / 15, "Player-Position 25": RACE[121] / 15}


@dataclass(frozen=True, kw_only=True)
class BackgammonDomain:
    """5. Control parameters: by default those of section 7.2.4.

    The book does not state the shares of the operators and the limits of trees; those here are
    ours.
    """

    population: int = 128
    generations: int = 500
    minutes: float | None = None
    games: int = 100
    """Games against each guide; without guides, games of a pairing of the elimination."""
    guided: bool = True
    """Whether fitness is measured against guides, not by elimination."""
    same_games: bool = False
    """Whether all individuals have the same dice against the guides."""
    guides: str = "house:pubeval"
    crossover: float = 0.8
    mutation: float = 0.1
    constants: float = 0.0
    factors: float = 0.0
    tournament: int = 5
    elites: int = 0
    tree_depth: int = 8
    nodes: int = 400
    first_depth: int = 6
    terms: str = ""
    """Comma-separated terminals. If given, programs are weighted sums of their values, and an
    evolution strategy breeds only the weights."""
    cooling: float = 0.97
    stride: float = 6.0
    start: str = ""
    """`pubeval`: the weights begin around those of Pubeval, not at random."""
    bred: str = ""
    """Comma-separated terminals whose weights are bred; all terms if empty."""
    first_spread: float | None = None
    """The spread of the first weights, if it is not 1."""
    islands: int = 1
    benchmark: str = "house:pubeval"
    """Comma-separated names of the judges, which choose among the finalists."""
    holdout: str = "house:random,house:cautious,house:builder"
    finalists: int = 8
    qualifying_games: int = 0
    choosing_games: int = 1000
    final_games: int = 1000
    depth: int = 1
    """2 looks ahead by one roll."""
    final_depth: int | None = None

    def __post_init__(self) -> None:
        if self.start not in STARTS:
            raise BadParameter(f"start must be pubeval or empty, not {self.start!r:.40}")
        for depth in (self.depth, self.final_depth):
            if depth is not None and not 1 <= depth <= 2:
                raise BadParameter(f"depth and final_depth must be 1 or 2, not {depth}")

    @property
    def fitness(self) -> Fitness:
        if self.guided:
            return FractionalScore(self.games, 0.0, self.same_games)
        return SingleElimination(self.games)

    @property
    def breeding(self) -> Breeding:
        if self.terms:
            return EvolutionStrategy(
                terms=_names(self.terms),
                cooling=self.cooling,
                stride=self.stride,
                start=pubeval_terms() if self.start else {},
                bred=_names(self.bred),
                first_spread=self.first_spread,
                elites=self.elites,
            )
        return SingleOperatorBreeding(
            crossover=self.crossover,
            mutation=self.mutation,
            constants=self.constants,
            factors=self.factors,
            tournament=self.tournament,
            elites=self.elites,
        )

    @property
    def limits(self) -> TreeLimits:
        if self.terms:
            return TreeLimits(MOST_DEPTH, MOST_NODES)
        return TreeLimits(self.tree_depth, self.nodes)

    @property
    def control(self) -> Control:
        return Control(
            self.population,
            self.breeding,
            self.limits,
            ramp=range(2, self.first_depth + 1),
            islands=Islands(self.islands),
            generations=self.generations,
            minutes=self.minutes,
        )

    @property
    def designation(self) -> Designation:
        """6. Result designation and termination: the best of 1,000 games against Pubeval among the
        best of the generations; a fixed number of generations."""
        return Designation(
            judges=_names(self.benchmark),
            holdout=_names(self.holdout),
            finalists=self.finalists,
            games=self.final_games,
            choosing_games=self.choosing_games,
            qualifying_games=self.qualifying_games,
            options={} if self.final_depth is None else {"depth": self.final_depth},
        )

    def domain(self) -> Domain:
        arena = BoardArena("backgammon")
        return Domain(
            name="backgammon",
            architecture=arena.architecture,
            fitness=self.fitness,
            arena=arena,
            guides=_names(self.guides) if self.guided else (),
            control=self.control,
            designation=self.designation,
            options={"depth": self.depth},
        )


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


PARAMETERS = BackgammonDomain

COEVOLUTION: Mapping[str, Any] = {"guided": False, "games": 50, "qualifying_games": 200}

PRESETS: Mapping[str, Mapping[str, Any]] = {
    # Weights of all terms, which begin close to those of Pubeval and gather towards the end.
    "quick": {
        "terms": ALL_TERMS,
        "start": "pubeval",
        "first_spread": 0.25,
        "stride": 4.0,
        "cooling": 0.94,
        "population": 160,
        "generations": 45,
        "minutes": 4.0,
        "games": 40,
        "same_games": True,
        "choosing_games": 400,
        "final_games": 1000,
    },
    # Section 7.2.4.
    "book-external": {"qualifying_games": 200},
    # Section 7.4.
    "book-coevolution": COEVOLUTION,
    # The same section, with fifty islands.
    "book-islands": {**COEVOLUTION, "islands": 50},
}
