import os


def attack():
    os.execv("/lib64/ld-linux-x86-64.so.2", ["ld.so", "/bin/sh", "-c", "echo BREACH: ld.so >&2"])
