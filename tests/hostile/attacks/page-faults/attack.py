from means import call


def attack():
    return call(323, 1)
