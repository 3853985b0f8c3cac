from means import call


def attack():
    return call(162)
