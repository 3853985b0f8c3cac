import resource

import targets


def attack():
    resource.prlimit(targets.VICTIM, resource.RLIMIT_CORE, (0, 0))
