import os

import targets


def attack():
    return os.sched_getscheduler(targets.VICTIM)
