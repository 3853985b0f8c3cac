from means import call


def attack():
    return call(300, 0, 0)
