"""How games are shown: pictures, notation and files for other programs."""
