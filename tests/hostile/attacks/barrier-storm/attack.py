from means import call


def attack():
    call(324, 4, 0)
    return call(324, 2, 0)
