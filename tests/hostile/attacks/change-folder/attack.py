import os


def attack():
    os.chdir("/")
