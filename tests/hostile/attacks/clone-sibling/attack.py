from means import call


def attack():
    return call(56, 0x10F00 | 0x8000, 0, 0, 0, 0)
