import os

import targets


def attack():
    os.setxattr(targets.OWNED, "user.mark", b"1")
