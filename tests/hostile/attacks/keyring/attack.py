from means import call


def attack():
    return call(250, 0, -3, 1)
