from means import prctl


def attack():
    return prctl(38, 0)
