from means import call


def attack():
    return call(246, 0, 0, 0, 0)
