import time

import targets


def attack():
    return time.clock_gettime((~targets.SERVER << 3) | 2)
