from means import call


def attack():
    return call(56, 0x10000000 | 17, 0, 0, 0, 0)
