from means import call


def attack():
    return call(426, 3, 1, 1, 0, 0, 0)
