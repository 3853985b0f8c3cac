import os

import targets


def attack():
    name = os.uname().nodename
    if name != targets.HOST:
        raise ValueError("the machine has another name")
    return name
