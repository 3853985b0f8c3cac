import targets
from means import call


def attack():
    return call(234, targets.VICTIM, targets.VICTIM, 0)
