from means import call


def attack():
    return call(169, 0, 0, 0, 0)
