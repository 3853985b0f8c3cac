import os


def attack():
    os.sched_setaffinity(0, {0})
