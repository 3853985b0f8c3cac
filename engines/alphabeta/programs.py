"""Programs that play board games: a tree values the positions at the leaves of a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from engines.alphabeta.contests import Searcher
from engines.alphabeta.evaluators import Evaluator, Inputs
from engines.alphabeta.players import SearchPlayer
from engines.alphabeta.search import INFINITY, Switches
from engines.programs.board import MOST_DEPTH
from engines.programs.code import flatten
from engines.programs.primitives import PrimitiveSet
from engines.programs.text import parse
from engines.programs.trees import Architecture, Option, Program, TreeSlot

DEPTHS = Option(3, range(1, 7))
"""The search depths that the text of a program may choose."""

KEPT = 100
"""The number of cached programs: the same ones play many matches."""


@dataclass(frozen=True)
class BoardPrograms:
    """Implements `engines.game.Programs` for a game with kernels for the inputs of programs.

    `switches` and `decided` are those of the game's other searchers.
    """

    game: str
    primitives: PrimitiveSet
    inputs: Inputs
    switches: Switches = Switches.ALL
    decided: int = INFINITY
    depths: Option = DEPTHS

    @cached_property
    def architecture(self) -> Architecture:
        return Architecture(self.game, self.slots, self.inputs.count, {"depth": self.depths})

    @property
    def slots(self) -> tuple[TreeSlot, ...]:
        """The trees; games that register `kernels.tree` have several."""
        slot = TreeSlot(
            "value",
            self.primitives,
            most_depth=MOST_DEPTH,
            about="how good a position is for the side to move",
        )
        return (slot,)

    def searcher(self, program: Program, depth: int | None = None) -> Searcher:
        """The searcher of a program, with the depth of its text unless another one is given."""
        evaluator = Evaluator.of(flatten(program), self.inputs)
        deep = program.option("depth") if depth is None else depth
        return Searcher(deep, evaluator, self.switches, self.decided)

    def player(self, text: str, seed: int) -> SearchPlayer:
        return SearchPlayer(self._read(text), seed)

    @cached_property
    def _read(self) -> Callable[[str], Searcher]:
        return lru_cache(KEPT)(lambda text: self.searcher(parse(text, self.architecture)))
