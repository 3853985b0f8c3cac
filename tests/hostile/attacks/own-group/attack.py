import os


def attack():
    os.setpgid(0, 0)
