import os

import targets


def attack():
    return os.listdir(f"/proc/{targets.VICTIM}/root")
