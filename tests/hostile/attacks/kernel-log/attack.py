from means import call


def attack():
    return call(103, 10, 0, 0)
