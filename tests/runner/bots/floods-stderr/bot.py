"""Writes more to stderr than a log may hold."""

import sys


def agent(observation, configuration):
    sys.stderr.write("noise " * 40_000 + "\n")
    return observation["legal"][0]
