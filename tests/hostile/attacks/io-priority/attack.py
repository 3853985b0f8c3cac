from means import call


def attack():
    return call(251, 1, 0, 2 << 13 | 4)
