"""Runs a command at low priority that ends together with the process which started it.

`python -m ladder.background PARENT COMMAND…` turns itself into the command: the bond to the parent
and the priority outlast that.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

NICENESS = 10
"""Matches go first: their clocks run, evolution has time."""

_PR_SET_PDEATHSIG = 1


def main(argv: list[str]) -> None:
    parent, *command = argv
    os.nice(NICENESS)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == int(parent):  # else it died before we asked to die with it
        os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1:])
