from means import call


def attack():
    return call(56, 0x100 | 0x200 | 0x400 | 0x800, 0, 0, 0, 0)
