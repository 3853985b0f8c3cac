from means import prctl


def attack():
    return prctl(22, 1)
