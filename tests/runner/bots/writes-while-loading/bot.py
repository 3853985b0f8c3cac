"""Finds the wire before it is asked anything."""

import os

os.write(4, b"x" * 100)
agent = None
