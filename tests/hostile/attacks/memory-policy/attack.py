from means import call


def attack():
    return call(238, 0, 0, 0)
