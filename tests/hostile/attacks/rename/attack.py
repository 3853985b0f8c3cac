import os

import targets


def attack():
    os.rename(targets.OWNED, targets.OWNED + "-moved")
