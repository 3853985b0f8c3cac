import mmap


def attack():
    return mmap.mmap(-1, 1 << 30)
