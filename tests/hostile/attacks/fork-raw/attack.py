import os

from means import call


def attack():
    if (pid := call(57)) == 0:
        os._exit(0)
    return pid
