import os


def attack():
    if (pid := os.fork()) == 0:
        os._exit(0)
    return pid
