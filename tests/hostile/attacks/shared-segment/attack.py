import targets
from means import call


def attack():
    segment = call(29, targets.KEY, 4096, 0o1600)
    call(31, segment, 0, 0)
    return segment
