import os
import stat

import targets


def attack():
    os.mknod(f"{targets.SHARED}/device", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
