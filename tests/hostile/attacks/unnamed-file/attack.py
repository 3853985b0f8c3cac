import os

import targets


def attack():
    return os.open(targets.SHARED, os.O_TMPFILE | os.O_RDWR)
