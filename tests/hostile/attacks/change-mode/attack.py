import os

import targets


def attack():
    os.chmod(targets.OWNED, 0o777)
