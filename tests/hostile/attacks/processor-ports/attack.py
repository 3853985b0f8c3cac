from means import call


def attack():
    return call(172, 3)
