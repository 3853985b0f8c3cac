from means import call


def attack():
    return call(317, 1, 1, 0)
