"""Players that meet, and what comes of it: scores per game, for each of the two.

An `Arena` lets the programs of a game meet each other and its house bots in compiled code. An
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
class Meeting:
    """The games of two players, as the first of them sees them."""

    own: tuple[float, ...]
    """Its score in each game: 1, 1/2 and 0 in board games, what the rules give in others."""
    other: tuple[float, ...]
    instructions: tuple[int, int] = (0, 0)
    """What the programs of the two have executed."""

    @property
    def games(self) -> int:
        return len(self.own)

    @property
    def wins(self) -> int:
        return sum(a > b for a, b in zip(self.own, self.other, strict=True))

    @property
    def losses(self) -> int:
        return sum(a < b for a, b in zip(self.own, self.other, strict=True))

    @property
    def draws(self) -> int:
        return self.games - self.wins - self.losses

    @property
    def points(self) -> float:
        """A point per win, half a point per draw."""
        return self.wins + self.draws / 2

    def share(self, epsilon: float = 0.0) -> float:
        """The fractional score: own / (own + other), `epsilon` added to the own one."""
        own, other = epsilon + sum(self.own), sum(self.other)
        return own / (own + other) if own + other else 0.5

    def mirrored(self) -> Meeting:
        """As the other one sees it."""
        return Meeting(self.other, self.own, self.instructions[::-1])

    def joined(self, later: Meeting) -> Meeting:
        """These games, and later ones of the same two."""
        executed = (
            self.instructions[0] + later.instructions[0],
            self.instructions[1] + later.instructions[1],
        )
        return Meeting(self.own + later.own, self.other + later.other, executed)

    def interval(self, sigmas: float = 1.96) -> tuple[float, float]:
        """Bounds of the share, 95 % sure: from how much the games differ among themselves.

        Where they do not differ at all (all won), from their number alone (Wilson).
        """
        share, total, games = self.share(), sum(self.own) + sum(self.other), self.games
        spread = math.fsum(
            ((1 - share) * a - share * b) ** 2 for a, b in zip(self.own, self.other, strict=True)
        )
        if games > 1 and spread > 0:
            reach = sigmas * math.sqrt(spread * games / (games - 1)) / total
            return max(0.0, share - reach), min(1.0, share + reach)
        weight = sigmas * sigmas / max(games, 1)
        centre = (share + weight / 2) / (1 + weight)
        reach = math.sqrt(share * (1 - share) * weight + weight * weight / 4) / (1 + weight)
        return max(0.0, centre - reach), min(1.0, centre + reach)


@dataclass(frozen=True, slots=True, eq=False)
class Contestant:
    """A program, and what its arena has compiled of it."""

    program: Program
    player: Any


class Arena(Protocol):
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

    def meet(self, first: Any, second: Any, seed: int, games: int) -> Meeting:
        """Play: the first has the first seat in games 0, 2, …, the second in games 1, 3, …."""
        ...

    def situations(self, random: np.random.Generator, count: int) -> Any:
        """What programs may be told, drawn at random: a row of inputs per situation."""
        return random.standard_normal((count, self.architecture.inputs))


class Opponent(Protocol):
    """Anybody whom programs meet. `meet` raises `GuideFailed` when it breaks off."""

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

    def meet(self, contestant: Contestant, seed: int, games: int) -> Meeting:
        """Games of the contestant against this one, as the contestant sees them."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Resident:
    """An opponent that plays in-process: a house bot or a program."""

    name: str
    bot: str
    kind: str
    sha256: str | None
    arena: Arena
    player: Any

    def meet(self, contestant: Contestant, seed: int, games: int) -> Meeting:
        return self.arena.meet(contestant.player, self.player, seed, games)
