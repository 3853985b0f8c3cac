import os

import targets


def attack():
    os.symlink(targets.DATABASE, f"{targets.SHARED}/link")
