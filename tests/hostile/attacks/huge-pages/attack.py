import mmap


def attack():
    return mmap.mmap(-1, 1 << 30, flags=0x40000 | mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
