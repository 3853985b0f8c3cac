from means import prctl


def attack():
    return prctl(36, 1)
