from means import call


def attack():
    return call(283, 1, 0)
