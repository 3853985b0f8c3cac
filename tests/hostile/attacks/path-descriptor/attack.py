import os

import targets


def attack():
    return os.open(targets.DATABASE, os.O_PATH)
