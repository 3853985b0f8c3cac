import os


def attack():
    os.nice(1)
