import os

import targets


def attack():
    return os.getpriority(os.PRIO_PROCESS, targets.VICTIM)
