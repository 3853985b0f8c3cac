import os

import targets


def attack():
    return os.getsid(targets.VICTIM)
