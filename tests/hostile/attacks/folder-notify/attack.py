import fcntl
import os


def attack():
    folder = os.open(".", os.O_RDONLY)
    fcntl.fcntl(folder, 1026, 0x1)
