"""Use cases of tournaments and leagues: formats, rounds, standings, schedules."""
