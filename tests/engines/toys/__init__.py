"""Tiny games of every kind, for tests of code that plays games."""

from tests.engines.toys.compiled import DOUBLES, RAID, RING, STONES
from tests.engines.toys.plain import DICE_RACE, SUMS, TUG_OF_WAR, DiceRace, Sums, TugOfWar

ON_THE_LADDER = (DICE_RACE, TUG_OF_WAR, SUMS)
"""Toys that need no compiler, one of each kind."""

COMPILED = (DOUBLES, STONES, RING, RAID)
"""Toys with kernels: dice, many seats, repetition, and optional captures."""

ALL = (*ON_THE_LADDER, *COMPILED)

__all__ = [
    "ALL",
    "COMPILED",
    "DICE_RACE",
    "DOUBLES",
    "ON_THE_LADDER",
    "RAID",
    "RING",
    "STONES",
    "SUMS",
    "TUG_OF_WAR",
    "DiceRace",
    "Sums",
    "TugOfWar",
]
