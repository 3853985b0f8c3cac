import os

import targets


def attack():
    os.kill(targets.VICTIM, 0)
