from means import call


def attack():
    return call(249, b"user", b"mark", 0, 0)
