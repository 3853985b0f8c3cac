import os

import targets


def attack():
    for number in range(50):
        os.mkdir(f"{targets.SHARED}/inode{number}")
