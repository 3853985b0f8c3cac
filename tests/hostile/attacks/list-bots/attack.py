import os

import targets


def attack():
    return os.listdir(targets.BOTS)
