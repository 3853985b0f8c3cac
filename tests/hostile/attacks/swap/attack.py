from means import call


def attack():
    return call(168, b"/none")
