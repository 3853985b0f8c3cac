import fcntl
import os

import targets


def attack():
    fcntl.fcntl(os.open(targets.OWNED if os.path.exists(targets.OWNED) else os.__file__, os.O_RDONLY), 1024, fcntl.F_RDLCK)
