import targets


def attack():
    return open(f"/proc/{targets.VICTIM}/environ").read()
