import os


def attack():
    os.killpg(0, 0)
