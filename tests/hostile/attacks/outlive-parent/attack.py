from means import prctl


def attack():
    return prctl(1, 0)
