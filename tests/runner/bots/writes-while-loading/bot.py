"""Writes to the wire before the first request."""

import os

os.write(4, b"x" * 100)
agent = None
