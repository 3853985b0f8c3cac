from means import call


def attack():
    return call(175, b"", 0, b"")
