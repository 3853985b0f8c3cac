import os


def attack():
    os.kill(os.getppid() or 1, 0)
