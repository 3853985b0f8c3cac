from means import call


def attack():
    return call(428, -100, b"/", 0)
