import time

import targets


def attack():
    return time.clock_gettime((~targets.VICTIM << 3) | 2)
