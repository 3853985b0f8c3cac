from means import prctl


def attack():
    return prctl(52, 0)
