"""Writes more to stderr than anybody wants to keep."""

import sys


def agent(observation, configuration):
    sys.stderr.write("noise " * 40_000 + "\n")
    return observation["legal"][0]
