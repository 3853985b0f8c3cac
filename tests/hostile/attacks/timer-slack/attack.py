from means import prctl


def attack():
    return prctl(29, 1)
