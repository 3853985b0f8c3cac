"""The values that formats use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import msgspec

from ladder import shapes
from ladder.errors import Refusal

MOST_ENTRIES = 1_000


class FormatOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The options of formats; each format has its own defaults."""

    legs: Annotated[int, msgspec.Meta(ge=1, le=16, extra={"unit": "games"})] | None = None
    """Games of a meeting, or of a table; an even number plays every seed from both sides."""
    rounds: Annotated[int, msgspec.Meta(ge=1, le=100, extra={"unit": "rounds"})] | None = None
    """Rounds of a Swiss tournament or of a melee."""
    best_of: Annotated[int, msgspec.Meta(ge=1, le=15, extra={"unit": "games"})] | None = None
    """Most games of a meeting in an elimination, before tie-breaks."""
    third_place: bool = False
    """Whether the losers of the semi-finals meet."""
    champion: (
        Annotated[int, msgspec.Meta(ge=1, le=2**53)] | Annotated[str, msgspec.Meta(max_length=100)]
    ) | None = None
    """Number or name of the bot that runs the gauntlet; the best one if not given. A tournament
    keeps the number."""
    seats: Annotated[int, msgspec.Meta(ge=2, le=100, extra={"unit": "seats"})] | None = None
    """Most seats of a table in a melee; as many as the game has if not given."""
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)] | None = None
    """The seeds of all games follow from it; random if not given."""


def read_options(given: Mapping[str, Any]) -> FormatOptions:
    """Options from a form or a command; raises `Refusal`."""
    try:
        return shapes.read(dict(given), FormatOptions)
    except shapes.WrongShape as error:
        raise Refusal(str(error)) from error


@dataclass(frozen=True, slots=True)
class Meeting:
    """Entries that meet in a round, in the order of the seats of their first game.

    One alone has a bye; none at all is an empty place in a bracket.
    """

    entrants: tuple[int, ...]
    games: int = 0


@dataclass(frozen=True, slots=True)
class Contestant:
    """The facts about an entry that pairing needs."""

    seeding: int
    points: float = 0.0
    byes: int = 0
    lean: int = 0
    """Games in the first seat minus games in another one."""
    met: Mapping[int, int] = field(default_factory=dict)
    """Games played, by opponent."""
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class Past:
    """A meeting of an earlier round and its winner; none, if all its entrants left."""

    entrants: tuple[int, ...]
    winner: int | None

    @property
    def loser(self) -> int | None:
        others = [one for one in self.entrants if one != self.winner]
        return others[0] if self.winner is not None and len(others) == 1 else None


@dataclass(frozen=True, slots=True)
class Stage:
    """A tournament at the time its next round is paired."""

    number: int
    """Of the round that is wanted, from 1."""
    field: Sequence[Contestant]
    """All entries in the order of their seeding."""
    options: FormatOptions
    past: Sequence[Sequence[Past]] = ()
    """All earlier rounds, in the order of their boards; only for eliminations."""
    champion: int = 1
    """Seeding of the bot that runs a gauntlet."""
    seats: frozenset[int] = frozenset({2})
    """The numbers of seats that the game allows."""

    @property
    def count(self) -> int:
        return len(self.field)
