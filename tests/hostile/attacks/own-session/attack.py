import os


def attack():
    os.setsid()
