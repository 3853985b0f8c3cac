from means import call


def attack():
    return call(163, 0)
