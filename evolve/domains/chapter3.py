"""The common parts of the domains of chapter 3 of Sipper, "Evolved to Win".

After Benbassat and Sipper, "Evolving Lose-Checkers Players using Genetic Programming".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from engines.programs.board import MOST_DEPTH
from engines.programs.trees import MOST_NODES
from evolve.domain import Control, Designation, Domain
from evolve.errors import BadParameter
from evolve.fitness.boards import BoardArena
from evolve.fitness.measures import CoPlay, Fitness, GuideRounds
from evolve.operators.breeding import Breeding, EvolutionStrategy, PairBreeding
from evolve.operators.growth import TreeLimits
from evolve.operators.islands import Islands

BOOK: Mapping[str, Any] = {"varied": False, "mutation": 0.2, "local_ratio": 0.5}
"""Parameters of all presets that follow the book exactly: with local mutation, as in half of its
runs, and with its contests."""

GUIDED: Mapping[str, Any] = {
    "varied": False,
    "coplay": 0,
    "crossover": 0.5,
    "mutation": 0.5,
    "local_ratio": 0.3,
    "constant_ratio": 0.3,
    "tournament": 3,
    "elites": 3,
    "qualifying_games": 60,
    "choosing_games": 500,
}
"""Parameters of presets that measure fitness by guides only, in the book's contests. Programs far
behind stop playing (`cutoff`), so that the leaders play many games: with few games, chance would
choose among them."""

QUICK: Mapping[str, Any] = {
    "population": 60,
    "generations": 40,
    "coplay": 15,
    "elites": 1,
    "mutation": 0.2,
    "local_ratio": 0.5,
    "final_games": 200,
}
"""A champion in about five minutes on two cores."""


@dataclass(frozen=True, kw_only=True)
class Chapter3:
    """Parameters, by default those of section 3.2.11."""

    game: ClassVar[str]

    depth: int = 3
    """Depth of the search; the programs value its leaves."""
    varied: bool = True
    """Random openings and random choice between equal moves, as on the ladder, not in the book."""
    population: int = 100
    generations: int = 100
    coplay: int = 50
    """Games of each individual as Black against others, and as many as White."""
    guide_games: int = 20
    """Games per round against each guide, if there are guides."""
    guide_rounds: int = 1
    cutoff: float = float("inf")
    """Programs further behind the best than this do not play a guide's round."""
    same_games: bool = False
    """All meet a guide in the same games, and equal programs play only once."""
    guides: str = ""
    """Comma-separated names; used unless the run names others."""
    crossover: float = 0.8
    mutation: float = 0.1
    local_ratio: float = 0.0
    constant_ratio: float = 0.0
    tournament: int = 2
    elites: int = 0
    tree_depth: int | None = None
    """By default as in the book: 15 without search, 13 for search depths 2 and 3, 10 for deeper
    ones; 15 for weighted sums, which do not grow."""
    nodes: int | None = None
    """By default 400; for weighted sums the limit of programs."""
    first_depth: int = 6
    """Depth of the deepest trees in the first generation; the ramp begins at 2."""
    terms: str = ""
    """Comma-separated terminals. If given, programs are weighted sums of their values, and an
    evolution strategy breeds only the weights."""
    grown: int = 0
    """Number of small random trees that are additional terms."""
    cooling: float = 0.97
    """The spread of the weights is multiplied by this after each generation."""
    stride: float = 6.0
    """Step of the weights in a generation (`evolve.operators.breeding.EvolutionStrategy`)."""
    islands: int = 1
    minutes: float | None = None
    plateau: int | None = None
    benchmark: str = ""
    """Comma-separated names of the judges, which choose among the finalists."""
    holdout: str = ""
    finalists: int = 10
    qualifying_games: int = 20
    """Games of the best of each generation against each judge, for a place among the finalists."""
    choosing_games: int = 200
    final_games: int = 1000
    final_depth: int | None = None
    """Search depth in the finals, if it differs: programs bred with a shallow search may play with
    a deeper one, as in section 3.3.3."""
    final_varied: bool | None = None
    """`varied` in the finals, if it differs."""

    def __post_init__(self) -> None:
        for depth in (self.depth, self.final_depth):
            if depth is not None and not 1 <= depth <= 6:
                raise BadParameter(f"depth and final_depth must be 1 to 6 plies, not {depth}")

    @property
    def fitness(self) -> Fitness:
        """Algorithm 3.2: rounds against guides, if there are any, and then co-play."""
        parts: list[Fitness] = []
        if self.guide_games:
            rounds = GuideRounds(
                rounds=self.guide_rounds,
                games=self.guide_games,
                cutoff=self.cutoff,
                same_games=self.same_games,
            )
            parts.append(rounds)
        if self.coplay or not parts:
            parts.append(CoPlay(self.coplay))
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]

    @property
    def _sums(self) -> bool:
        return bool(self.terms or self.grown)

    @property
    def limits(self) -> TreeLimits:
        if self._sums:
            depth, nodes = MOST_DEPTH, MOST_NODES
        else:
            depth, nodes = 15 if self.depth == 1 else 13 if self.depth <= 3 else 10, 400
        return TreeLimits(
            depth if self.tree_depth is None else self.tree_depth,
            nodes if self.nodes is None else self.nodes,
        )

    @property
    def breeding(self) -> Breeding:
        if self._sums:
            return EvolutionStrategy(
                terms=_names(self.terms),
                grown=self.grown,
                cooling=self.cooling,
                stride=self.stride,
                elites=self.elites,
            )
        return PairBreeding(
            crossover=self.crossover,
            mutation=self.mutation,
            local_ratio=self.local_ratio,
            constant_ratio=self.constant_ratio,
            tournament=self.tournament,
            elites=self.elites,
        )

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
            plateau=self.plateau,
        )

    @property
    def designation(self) -> Designation:
        return Designation(
            judges=_names(self.benchmark),
            holdout=_names(self.holdout),
            finalists=self.finalists,
            games=self.final_games,
            choosing_games=self.choosing_games,
            qualifying_games=self.qualifying_games,
            arena=None if self.final_varied is None else BoardArena(self.game, self.final_varied),
            options={} if self.final_depth is None else {"depth": self.final_depth},
        )

    def domain(self) -> Domain:
        arena = BoardArena(self.game, self.varied)
        return Domain(
            name=self.game,
            architecture=arena.architecture,
            fitness=self.fitness,
            arena=arena,
            guides=_names(self.guides),
            control=self.control,
            designation=self.designation,
            options={"depth": self.depth},
        )


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
