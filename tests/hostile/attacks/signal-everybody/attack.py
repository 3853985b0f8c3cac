import os


def attack():
    os.kill(-1, 0)
