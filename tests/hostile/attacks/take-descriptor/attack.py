from means import call


def attack():
    return call(438, 3, 0, 0)
