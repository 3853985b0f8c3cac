import os

import targets


def attack():
    os.remove(targets.OWNED)
