"""Players that meet at a table, and the result: scores per game, for each of them.

An `GameArena` lets the programs of a game meet each other and its house bots in compiled code. An
`Opponent` is anybody whom programs can meet: a house bot, a program, or whatever a caller brings.
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
    """The games of the players at one table, as the first of them sees them."""

    scores: tuple[tuple[float, ...], ...]
    """For each player its score in each game. In board games of two that is 1, 1/2 or 0."""
    instructions: tuple[int, ...] = ()
    """What the program of each player has executed; empty if nobody counted."""

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
        """The games in which nobody else scored as much."""
        return sum(own > best for own, best in self._against_best())

    @property
    def losses(self) -> int:
        """The games in which somebody scored more."""
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
        """The fractional score: own / (own + others), `epsilon` added to the own one.

        Where nobody scored anything, everybody has the same share.
        """
        own, others = epsilon + sum(self.own), sum(self.others)
        return own / (own + others) if own + others else 1 / len(self.scores)

    def seen_by(self, player: int) -> TableResult:
        """As another player sees it."""
        order = [player, *(one for one in range(len(self.scores)) if one != player)]
        executed = tuple(self.instructions[one] for one in order) if self.instructions else ()
        return TableResult(tuple(self.scores[one] for one in order), executed)

    def joined(self, later: TableResult) -> TableResult:
        """These games, and later ones of the same table."""
        scores = tuple(a + b for a, b in zip(self.scores, later.scores, strict=True))
        executed = tuple(a + b for a, b in zip(self.instructions, later.instructions, strict=True))
        return TableResult(scores, executed)

    def interval(self, sigmas: float = 1.96) -> tuple[float, float]:
        """Bounds of the share, 95 % sure: from how much the games differ among themselves.

        Where they do not differ at all (all won), from their number alone (Wilson).
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
    """A program, and what its arena has compiled of it."""

    program: Program
    player: Any


class GameArena(Protocol):
    """Where the programs of one game meet. Stateless: threads share it, processes copy it.

    Whoever inherits from it has to give `game`, `architecture`, `player` and `meet`.
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
        """Of the behaviour of the house bots."""
        return 1

    def player(self, program: Program) -> Any:
        """Compile a program once, for many games."""
        ...

    def house_player(self, name: str) -> Any:
        """A house bot as a player; raises `KeyError`."""
        raise KeyError(name)

    @property
    def seats(self) -> int:
        """How many players sit at a table."""
        return 2

    def meet(self, players: Sequence[Any], seed: int, games: int) -> TableResult:
        """Play at a table of `seats` players: player p has seat p in game 0, p + 1 in game 1, ….

        So after `seats` games each has had every seat.
        """
        ...

    def situations(self, random: np.random.Generator, count: int) -> Any:
        """What programs may be told, drawn at random: a row of inputs per situation."""
        return random.standard_normal((count, self.architecture.inputs))


class Opponent(Protocol):
    """Anybody whom programs meet."""

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
        """Of the version; None for house bots."""
        ...

    def meet(
        self, table: Sequence[CompiledProgram | Opponent], seed: int, games: int
    ) -> TableResult:
        """Games at a table at which this one sits, as the first of the table sees them.

        All others at it are contestants, residents and opponents of the same kind as this one.
        Raises `GuideFailed` when one of them breaks off.
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
    """Of a program."""

    def meet(self, table: Sequence[Any], seed: int, games: int) -> TableResult:
        return self.arena.meet([one.player for one in table], seed, games)


def play_table(table: Sequence[CompiledProgram | Opponent], seed: int, games: int) -> TableResult:
    """Games of a contestant and its opponents. One that is no resident has to play them."""
    opponents = [one for one in table if not isinstance(one, CompiledProgram)]
    host = next((one for one in opponents if not isinstance(one, InProcessOpponent)), opponents[0])
    return host.meet(table, seed, games)


def seat_opponents(opponents: Sequence[Opponent], seats: int) -> list[tuple[Opponent, ...]]:
    """The tables at which a contestant meets these opponents, without the contestant's own seat.

    All opponents sit equally often. At tables of two, that is one table for each of them. Opponents
    that are too few to fill a table sit at one table, and some of them have several seats.
    """
    count = len(opponents) if len(opponents) > seats - 1 else min(len(opponents), 1)
    return [
        tuple(opponents[(first + place) % len(opponents)] for place in range(seats - 1))
        for first in range(count)
    ]
