from means import call


def attack():
    return call(166, b"/bot", 2)
