import os


def attack():
    return [os.pipe() for _ in range(200)]
