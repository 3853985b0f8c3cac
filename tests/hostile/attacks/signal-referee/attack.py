import os

import targets


def attack():
    os.kill(targets.SERVER, 0)
