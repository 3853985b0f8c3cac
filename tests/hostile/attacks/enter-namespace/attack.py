from means import call


def attack():
    return call(308, 0, 0)
