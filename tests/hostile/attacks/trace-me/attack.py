from means import call


def attack():
    return call(101, 0, 0, 0, 0)
