import os


def attack():
    for fd in range(5, 4096):
        try:
            return os.fstat(fd)
        except OSError:
            pass
    raise OSError("none")
