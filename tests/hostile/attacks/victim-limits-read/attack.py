import resource

import targets


def attack():
    return resource.prlimit(targets.VICTIM, resource.RLIMIT_NOFILE)
