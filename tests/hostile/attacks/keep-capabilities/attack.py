from means import prctl


def attack():
    return prctl(8, 1)
