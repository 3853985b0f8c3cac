import os


def attack():
    return [os.open(os.__file__, os.O_RDONLY) for _ in range(400)]
