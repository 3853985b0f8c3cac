from means import call


def attack():
    return call(155, b".", b".")
