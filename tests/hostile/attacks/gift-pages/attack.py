import os

from means import call


def attack():
    return call(278, os.pipe()[1], 0, 0, 0)
