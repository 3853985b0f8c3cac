import os


def attack():
    return os.listdir("/sys")
