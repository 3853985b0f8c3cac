import fcntl
import os


def attack():
    return fcntl.fcntl(os.pipe()[0], 1031, 1 << 20)
