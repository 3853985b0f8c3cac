import os


def attack():
    os.setresuid(0, 0, 0)
