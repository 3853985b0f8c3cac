from means import call


def attack():
    return call(272, 0x7E020080)
