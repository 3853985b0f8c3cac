from means import call


def attack():
    return call(248, b"user", b"mark", b"data", 4, -2)
