import os

from means import call


def attack():
    return call(312, os.getpid(), os.getpid(), 2, 0, 0)
