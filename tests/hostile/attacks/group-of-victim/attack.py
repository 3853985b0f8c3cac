import os

import targets


def attack():
    return os.getpgid(targets.VICTIM)
