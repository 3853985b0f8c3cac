"""Prints where an agent likes; the wire is not disturbed."""

import sys

print("loading")


def agent(observation, configuration):
    print("to stdout", flush=True)
    print("to stderr", file=sys.stderr)
    return observation["legal"][0]
