from means import call


def attack():
    return call(158, 0x1012, 0)
