import os


def attack():
    return open(os.__file__, "a")
