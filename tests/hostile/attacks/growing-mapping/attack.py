import mmap


def attack():
    small = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    small.resize(1 << 30)
    return len(small)
