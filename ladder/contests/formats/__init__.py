"""Formats of tournaments: pure functions from entries and results to the next pairings.

Entries are known by their seeding, from 1. `FORMATS` is the table of all of them; whatever runs
tournaments asks a `Format` how many rounds there are and who meets in the next one, and nothing
here knows of databases, clocks or chance.

    meetings     the values            round_robin  everybody meets everybody; and the gauntlet
    elimination  brackets, best of N   swiss        equals meet, no rematches (matching.py)
    melee        tables of many seats
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ladder.contests.formats import elimination, melee, round_robin, swiss
from ladder.contests.formats.meetings import Contestant, FormatOptions, Meeting, Past, Stage

__all__ = [
    "FORMATS",
    "Contestant",
    "Format",
    "FormatOptions",
    "Meeting",
    "Past",
    "Stage",
]


@dataclass(frozen=True, slots=True)
class Format:
    name: str
    about: str
    """One sentence for people who choose."""
    adaptive: bool
    """Whether who meets depends on results; else rounds may be played side by side."""
    rounds: Callable[[int, FormatOptions], int]
    """How many rounds so many entries play."""
    pair: Callable[[Stage], list[Meeting]]
    """The meetings of the next round."""
    games: Callable[[int, FormatOptions], int | None]
    """How many games it has in all, as far as that is known beforehand."""
    options: tuple[str, ...]
    """Those of the options that mean something to it."""
    knockout: bool = False
    """Whether every meeting needs a winner, and who loses is out."""
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
            "Who loses is out; seeded by rating.",
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
            "One against the field.",
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
