import os

import targets


def attack():
    return os.readlink(targets.LINK)
