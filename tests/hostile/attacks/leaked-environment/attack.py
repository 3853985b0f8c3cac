import os
import sys

import targets


def attack():
    seen = f"{os.environ} {sys.argv} {getattr(sys, 'orig_argv', '')}"
    if targets.SECRET in seen or os.environ.keys() & {"HOME", "PATH", "LADDER_SECRET"}:
        return seen
    raise OSError("nothing there")
