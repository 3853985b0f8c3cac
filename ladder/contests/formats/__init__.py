"""Formats of tournaments: pure functions from entries and results to the next pairings.

Entries are known by their seeding, from 1. `FORMATS` is the table of all formats. A `Format` gives
the number of rounds and the meetings of the next one. Nothing here uses databases, clocks or
randomness.

    meetings     the values            round_robin  everybody meets everybody; and the gauntlet
    elimination  brackets, best of N   swiss        equals meet, no rematches (matching.py)
    melee        tables of many seats
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ladder.contests.formats import elimination, melee, round_robin, swiss
from ladder.contests.formats.meetings import (
    Contestant,
    FormatOptions,
    Meeting,
    Past,
    Stage,
    read_options,
)

__all__ = [
    "FORMATS",
    "Contestant",
    "Format",
    "FormatOptions",
    "Meeting",
    "Past",
    "Stage",
    "read_options",
]


@dataclass(frozen=True, slots=True)
class Format:
    name: str
    about: str
    """One sentence of description."""
    adaptive: bool
    """Whether the meetings depend on results; if not, rounds may be played at the same time."""
    rounds: Callable[[int, FormatOptions], int]
    """The number of rounds for this number of entries."""
    pair: Callable[[Stage], list[Meeting]]
    """The meetings of the next round."""
    games: Callable[[int, FormatOptions], int | None]
    """The number of games, as far as it is known in advance."""
    options: tuple[str, ...]
    """The options that it uses."""
    knockout: bool = False
    """Whether every meeting needs a winner, and the loser is out."""
    many_seats: bool = False
    """Whether it is for games of more than two seats; the others are for two."""


FORMATS = {
    one.name: one
    for one in (
        Format(
            "round-robin",
            "Everybody meets everybody.",
            False,
            round_robin.rounds,
            round_robin.pair,
            round_robin.games,
            ("legs",),
        ),
        Format(
            "single-elimination",
            "The loser of a meeting is out; seeded by rating.",
            True,
            elimination.rounds,
            elimination.pair,
            lambda count, options: None,
            ("best_of", "third_place"),
            knockout=True,
        ),
        Format(
            "swiss",
            "Every round pairs bots with equal points that have not met.",
            True,
            swiss.rounds,
            swiss.pair,
            swiss.games,
            ("legs", "rounds"),
        ),
        Format(
            "gauntlet",
            "One bot against all others.",
            False,
            round_robin.gauntlet_rounds,
            round_robin.pair_gauntlet,
            round_robin.gauntlet_games,
            ("legs", "champion"),
        ),
        Format(
            "melee",
            "Rounds of matches with many seats, in changing company.",
            True,
            melee.rounds,
            melee.pair,
            melee.games,
            ("legs", "rounds", "seats"),
            many_seats=True,
        ),
    )
}
