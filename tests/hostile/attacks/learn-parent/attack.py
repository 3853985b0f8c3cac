import os


def attack():
    parent = os.getppid()
    if parent <= 1:
        raise ValueError("no parent is seen")
    return parent
