"""The server process: its start, and the loops that run in it."""
