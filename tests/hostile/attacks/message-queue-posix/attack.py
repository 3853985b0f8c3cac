from means import call


def attack():
    return call(240, b"mark", 0o102, 0o600, 0)
