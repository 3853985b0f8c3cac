from means import call


def attack():
    return call(0x40000000 | 39)
