"""The server process: what it starts, and the loops that run in it."""
