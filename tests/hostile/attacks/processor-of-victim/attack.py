import os

import targets


def attack():
    return os.sched_getaffinity(targets.VICTIM)
