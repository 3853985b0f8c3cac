"""Games for Evoladder: a board game, a dice game, a simulation and a puzzle."""
