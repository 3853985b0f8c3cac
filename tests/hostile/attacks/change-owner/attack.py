import os

import targets


def attack():
    os.chown(targets.OWNED, os.getuid(), os.getgid())
