import targets


def attack():
    return open(targets.SIBLING).read(10)
