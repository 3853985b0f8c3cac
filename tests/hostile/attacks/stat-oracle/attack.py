import os

import targets


def attack():
    return os.stat(targets.DATABASE).st_size
