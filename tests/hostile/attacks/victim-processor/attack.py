import os

import targets


def attack():
    os.sched_setaffinity(targets.VICTIM, {0})
