import os

import targets


def attack():
    return os.listxattr(targets.OWNED)
