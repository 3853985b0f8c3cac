"""Python frames live on the heap, so without their limit the memory limit ends the recursion."""

import sys


def deeper(ballast):
    return deeper(bytearray(100_000))


def agent(observation, configuration):
    sys.setrecursionlimit(1 << 30)
    return deeper(None)
