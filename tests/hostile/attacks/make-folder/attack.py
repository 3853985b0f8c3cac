import os

import targets


def attack():
    os.mkdir(f"{targets.SHARED}/folder")
