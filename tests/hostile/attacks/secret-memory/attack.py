from means import call


def attack():
    return call(447, 0)
