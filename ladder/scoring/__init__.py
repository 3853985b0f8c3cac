"""Pure functions of scores: TrueSkill, matchmaking, tallies, equilibria. No I/O, no SQL."""
