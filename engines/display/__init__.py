"""The display of games: pictures, notation and files for other programs."""
