import targets


def attack():
    return open(targets.DATABASE, "rb").read(16)
