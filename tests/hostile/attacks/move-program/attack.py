from means import prctl


def attack():
    return prctl(35, 1, 4096)
