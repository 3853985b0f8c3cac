import fcntl
import os

import targets


def attack():
    return fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, targets.VICTIM)
