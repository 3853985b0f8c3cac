from means import prctl


def attack():
    return prctl(4, 1)
