import os


def attack():
    os.execv("/bin/sh", ["sh", "-c", "echo BREACH: a shell >&2"])
