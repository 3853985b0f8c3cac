import os


def attack():
    return os.posix_spawn("/bin/true", ["true"], {})
