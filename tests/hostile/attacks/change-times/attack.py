import os

import targets


def attack():
    os.utime(targets.OWNED, (0, 0))
