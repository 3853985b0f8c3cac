import os

from means import call


def attack():
    if (pid := call(56, 17, 0, 0, 0, 0)) == 0:
        os._exit(0)
    return pid
