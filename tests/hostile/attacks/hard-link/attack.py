import os

import targets


def attack():
    os.link(targets.OWNED, f"{targets.SHARED}/hard")
