import os

import targets


def attack():
    return os.pidfd_open(targets.VICTIM)
