import mmap


def attack():
    pieces = [mmap.mmap(-1, 1 << 20) for _ in range(1024)]
    return len(pieces)
