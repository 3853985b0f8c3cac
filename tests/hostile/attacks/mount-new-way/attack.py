from means import call


def attack():
    return call(430, b"tmpfs", 0)
