"""Python frames live on the heap: without their limit, memory is what ends it."""

import sys


def deeper(ballast):
    return deeper(bytearray(100_000))


def agent(observation, configuration):
    sys.setrecursionlimit(1 << 30)
    return deeper(None)
