import os


def attack():
    os.setresuid(os.getuid(), os.getuid(), os.getuid())
