import targets
from means import call


def attack():
    return call(101, 0x4206, targets.VICTIM, 0, 0)
