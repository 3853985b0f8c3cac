import targets
from means import call


def attack():
    made = call(68, targets.KEY, 0o1600)
    call(71, made, 0, 0)
    return made
