"""Board games as arenas: programs value positions at the leaves of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from engines.alphabeta.contests import NO_OPENING, Searcher, contest
from engines.alphabeta.evaluators import describe
from engines.competition import listed
from engines.game import CHANCE
from engines.games import find_game
from engines.programs.trees import Architecture, Program
from evolve.errors import BadParameter
from evolve.fitness.meetings import TableResult

_MASK = (1 << 62) - 1
_LONGEST = 40
"""The most random plies before a sampled situation."""


@dataclass(frozen=True)
class BoardArena:
    """Any game whose house bots and programs are searchers.

    If `varied`, as on the ladder, openings are random, and chance decides between equal moves.
    Otherwise all games begin at the first position, and the first of equal moves is played.
    """

    game: str
    varied: bool = True
    seats: int = 2

    def __post_init__(self) -> None:
        if self.seats not in (allowed := self._rules.seats):
            raise BadParameter(f"{self.game} has {listed(allowed)} seats, not {self.seats}")

    @property
    def _rules(self) -> Any:
        return find_game(self.game)

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
        """Its search depth is its option `depth`."""
        return self._as_played_here(self._rules.programs.searcher(program))

    def house_player(self, name: str) -> Searcher:
        return self._as_played_here(self._rules.searchers[name])

    def _as_played_here(self, searcher: Searcher) -> Searcher:
        return searcher if self.varied else replace(searcher, varied=False)

    def meet(self, players: Sequence[Searcher], seed: int, games: int) -> TableResult:
        """Each series of as many games as seats has the same opening and dice."""
        rules, count = self._rules, self.seats
        opening = None if self.varied else NO_OPENING
        scores: list[list[float]] = [[] for _ in players]
        executed = [0] * count
        for game in range(games):
            turn = game % count
            # Player p has seat (p + turn) modulo the number of seats.
            seated = [players[seat - turn] for seat in range(count)]
            played = contest(rules, seated, (seed + game // count) & _MASK, opening)
            for player in range(count):
                seat = (player + turn) % count
                scores[player].append(played.scores[seat])
                executed[player] += played.instructions[seat]
        return TableResult(tuple(tuple(one) for one in scores), tuple(executed))

    def situations(self, random: np.random.Generator, count: int) -> Any:
        """Inputs of programs for positions of random games in which a player is to move."""
        rules = self._rules
        rows: list[Sequence[float]] = []
        while len(rows) < count:
            state = rules.start(int(random.integers(1 << 30)), self.seats)
            plies = int(random.integers(4, _LONGEST))
            while rules.outcome(state) is None and (plies > 0 or rules.to_move(state) == CHANCE):
                moves, chances = rules.legal(state), rules.chances(state)
                # Without dice, moves are equally likely; passing weights would draw other numbers.
                drawn = (
                    random.choice(len(moves), p=chances) if chances else random.integers(len(moves))
                )
                state = rules.play(state, moves[int(drawn)])
                plies -= 1
            if rules.outcome(state) is None:
                rows.append(describe(rules.board(state), rules.programs.inputs))
        return np.array(rows)
