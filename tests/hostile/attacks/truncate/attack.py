import os

import targets


def attack():
    os.truncate(targets.OWNED, 0)
