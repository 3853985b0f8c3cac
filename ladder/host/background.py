"""Runs a command at low priority that ends when its parent process ends.

`python -m ladder.host.background PARENT COMMAND…` turns itself into the command. The low priority
and the signal at the parent's death outlast that.
"""

from __future__ import annotations

import os
import sys

from ladder.host.parent_death import die_with_parent

NICENESS = 10
"""Matches go first: their clocks run, while evolution can wait."""


def main(argv: list[str]) -> None:
    parent, *command = argv
    os.nice(NICENESS)
    if die_with_parent(int(parent)):
        os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
