"""Players that meet at a table, and the result: scores per game, for each of them.

A `GameArena` lets the programs of a game meet each other and its house bots in compiled code. An
`Opponent` can meet programs: it is a house bot, a program, or an object of the caller.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from engines.programs.trees import Architecture, Program


@dataclass(frozen=True, slots=True)
class TableResult:
    """The games of the players at one table, from the view of the first player."""

    scores: tuple[tuple[float, ...], ...]
    """For each player its score in each game. In board games of two it is 1, 1/2 or 0."""
    instructions: tuple[int, ...] = ()
    """Instructions executed by the program of each player; empty if not counted."""

    @property
    def own(self) -> tuple[float, ...]:
        return self.scores[0]

    @property
    def others(self) -> tuple[float, ...]:
        """In each game, the sum of the scores of all others."""
        return tuple(math.fsum(scores) for scores in zip(*self.scores[1:], strict=True))

    @property
    def games(self) -> int:
        return len(self.own)

    @property
    def wins(self) -> int:
        """Games with a higher score than all others."""
        return sum(own > best for own, best in self._against_best())

    @property
    def losses(self) -> int:
        """Games in which another player scored more."""
        return sum(own < best for own, best in self._against_best())

    @property
    def draws(self) -> int:
        return self.games - self.wins - self.losses

    def _against_best(self) -> list[tuple[float, float]]:
        return [(own, max(others)) for own, *others in zip(*self.scores, strict=True)]

    @property
    def points(self) -> float:
        """In each game, the share of the others that scored less; equal ones count half.

        With two players, that is a point per win and half a point per draw.
        """
        beaten = 0.0
        for own, *others in zip(*self.scores, strict=True):
            beaten += sum(1.0 if own > one else 0.5 if own == one else 0.0 for one in others)
        return beaten / (len(self.scores) - 1)

    def share(self, epsilon: float = 0.0) -> float:
        """The fractional score: own / (own + others), with `epsilon` added to the own score.

        If all scores are 0, all players have the same share.
        """
        own, others = epsilon + sum(self.own), sum(self.others)
        return own / (own + others) if own + others else 1 / len(self.scores)

    def seen_by(self, player: int) -> TableResult:
        """The same games from the view of another player."""
        order = [player, *(one for one in range(len(self.scores)) if one != player)]
        executed = tuple(self.instructions[one] for one in order) if self.instructions else ()
        return TableResult(tuple(self.scores[one] for one in order), executed)

    def joined(self, later: TableResult) -> TableResult:
        """These games together with later ones of the same table."""
        scores = tuple(a + b for a, b in zip(self.scores, later.scores, strict=True))
        executed = tuple(a + b for a, b in zip(self.instructions, later.instructions, strict=True))
        return TableResult(scores, executed)

    def interval(self, sigmas: float = 1.96) -> tuple[float, float]:
        """The 95 % confidence interval of the share, from the variance between games.

        If all games are equal (such as all won), the Wilson interval of their number.
        """
        share, total, games = self.share(), sum(self.own) + sum(self.others), self.games
        spread = math.fsum(
            ((1 - share) * a - share * b) ** 2 for a, b in zip(self.own, self.others, strict=True)
        )
        if games > 1 and spread > 0:
            reach = sigmas * math.sqrt(spread * games / (games - 1)) / total
            return max(0.0, share - reach), min(1.0, share + reach)
        weight = sigmas * sigmas / max(games, 1)
        centre = (share + weight / 2) / (1 + weight)
        reach = math.sqrt(share * (1 - share) * weight + weight * weight / 4) / (1 + weight)
        return max(0.0, centre - reach), min(1.0, centre + reach)


@dataclass(frozen=True, slots=True, eq=False)
class CompiledProgram:
    """A program, and its compiled form for its arena."""

    program: Program
    player: Any


class GameArena(Protocol):
    """The place where programs of one game meet. Stateless: threads share it, processes copy it.

    Subclasses must define `game`, `architecture`, `player` and `meet`.
    """

    @property
    def game(self) -> str: ...

    @property
    def architecture(self) -> Architecture: ...

    @property
    def house(self) -> Sequence[str]:
        """Names of the house bots, weakest first."""
        return ()

    @property
    def revision(self) -> int:
        """Revision of the behaviour of the house bots."""
        return 1

    def player(self, program: Program) -> Any:
        """Compile a program once, for many games."""
        ...

    def house_player(self, name: str) -> Any:
        """A house bot as a player; raises `KeyError`."""
        raise KeyError(name)

    @property
    def seats(self) -> int:
        """The number of players at a table."""
        return 2

    def meet(self, players: Sequence[Any], seed: int, games: int) -> TableResult:
        """Play at a table of `seats` players: player p has seat p in game 0, p + 1 in game 1, ….

        So after `seats` games each player has had every seat.
        """
        ...

    def situations(self, random: np.random.Generator, count: int) -> Any:
        """Random situations: a row of inputs of programs for each."""
        return random.standard_normal((count, self.architecture.inputs))


class Opponent(Protocol):
    """A player that programs meet."""

    @property
    def name(self) -> str:
        """Unique among the guides of a run, such as `house:Walls`."""
        ...

    @property
    def bot(self) -> str: ...

    @property
    def kind(self) -> str:
        """house, program, python or wasm."""
        ...

    @property
    def sha256(self) -> str | None:
        """SHA-256 of the version; None for house bots."""
        ...

    def meet(
        self, table: Sequence[CompiledProgram | Opponent], seed: int, games: int
    ) -> TableResult:
        """Play at a table that includes this opponent; the result is from the view of its first.

        All others at it are programs, in-process opponents, and opponents of this kind.
        Raises `GuideFailed` when an opponent fails.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class InProcessOpponent:
    """An opponent that plays in-process: a house bot or a program."""

    name: str
    bot: str
    kind: str
    sha256: str | None
    arena: GameArena
    player: Any
    text: str | None = None
    """The text, if it is a program."""

    def meet(self, table: Sequence[Any], seed: int, games: int) -> TableResult:
        return self.arena.meet([one.player for one in table], seed, games)


def play_table(table: Sequence[CompiledProgram | Opponent], seed: int, games: int) -> TableResult:
    """Play a table. An opponent that does not play in-process runs the games, if there is one."""
    opponents = [one for one in table if not isinstance(one, CompiledProgram)]
    host = next((one for one in opponents if not isinstance(one, InProcessOpponent)), opponents[0])
    return host.meet(table, seed, games)


def seat_opponents(opponents: Sequence[Opponent], seats: int) -> list[tuple[Opponent, ...]]:
    """The tables at which a program meets these opponents, without the program's own seat.

    All opponents sit equally often. At tables of two, each opponent has its own table. If opponents
    are too few to fill a table, they sit at one table, and some have several seats.
    """
    count = len(opponents) if len(opponents) > seats - 1 else min(len(opponents), 1)
    return [
        tuple(opponents[(first + place) % len(opponents)] for place in range(seats - 1))
        for first in range(count)
    ]
