from means import call


def attack():
    return call(165, b"none", b"/bot", b"tmpfs", 0, 0)
