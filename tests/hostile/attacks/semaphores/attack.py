import targets
from means import call


def attack():
    made = call(64, targets.KEY, 1, 0o1600)
    call(66, made, 0, 0, 0)
    return made
