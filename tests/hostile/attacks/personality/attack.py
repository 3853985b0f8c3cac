from means import call


def attack():
    return call(135, 0x0040000)
