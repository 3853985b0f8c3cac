from means import call


def attack():
    return call(179, 0, 0, 0, 0)
