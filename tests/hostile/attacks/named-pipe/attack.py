import os

import targets


def attack():
    os.mkfifo(f"{targets.SHARED}/pipe")
