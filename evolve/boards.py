"""Board games as arenas: programs value positions at the leaves of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engines.contests import NO_OPENING, Searcher, contest
from engines.evaluators import describe
from engines.games import by_name
from engines.programs.trees import Architecture, Program
from evolve.meetings import Meeting

_MASK = (1 << 62) - 1
_LONGEST = 40
"""Plies after which situations are looked at, at most."""


@dataclass(frozen=True)
class BoardArena:
    """Any game whose house bots and programs are searchers.

    Where it is `varied`, as on the ladder, openings are random, and chance decides between equal
    moves. Else all games begin at the beginning, and the first of equal moves is played.
    """

    game: str
    varied: bool = True

    @property
    def _rules(self) -> Any:
        return by_name(self.game)

    @property
    def architecture(self) -> Architecture:
        found: Architecture = self._rules.programs.architecture
        return found

    @property
    def house(self) -> Sequence[str]:
        return tuple(self._rules.searchers)

    @property
    def revision(self) -> int:
        return int(self._rules.house_revision)

    def player(self, program: Program) -> Searcher:
        """It searches as deep as its option `depth` says."""
        return self._as_played_here(self._rules.programs.searcher(program))

    def house_player(self, name: str) -> Searcher:
        return self._as_played_here(self._rules.searchers[name])

    def _as_played_here(self, searcher: Searcher) -> Searcher:
        return searcher if self.varied else replace(searcher, varied=False)

    def meet(self, first: Searcher, second: Searcher, seed: int, games: int) -> Meeting:
        """Two games in a row have the same opening, once for each side."""
        rules = self._rules
        opening = None if self.varied else NO_OPENING
        own: list[float] = []
        executed = [0, 0]
        for game in range(games):
            swapped = game % 2
            seats = (second, first) if swapped else (first, second)
            played = contest(rules, seats, (seed + game // 2) & _MASK, opening)
            own.append(played.scores[swapped])
            executed[0] += played.instructions[swapped]
            executed[1] += played.instructions[1 - swapped]
        return Meeting(tuple(own), tuple(1 - score for score in own), (executed[0], executed[1]))

    def situations(self, random: np.random.Generator, count: int) -> Any:
        """Positions of random games, as programs are told them."""
        rules = self._rules
        rows: list[Sequence[float]] = []
        while len(rows) < count:
            state = rules.start(int(random.integers(1 << 30)))
            for _ in range(int(random.integers(4, _LONGEST))):
                if rules.outcome(state) is not None:
                    break
                moves = rules.legal(state)
                state = rules.play(state, moves[int(random.integers(len(moves)))])
            if rules.outcome(state) is None:
                rows.append(describe(state, rules.programs.inputs))
        return np.array(rows)
