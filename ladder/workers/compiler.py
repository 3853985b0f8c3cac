"""The process that compiles games, started by a server.

`python -m ladder.workers.compiler PARENT GAME…`

It compiles the games in the given order and writes a line of JSON about each as soon as it is done.
The first is compiled at the priority of the server, which can play nothing before; the others at
low priority, because matches go first. Compiled code is cached on the disk for all processes.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Sequence

from ladder.host.background import NICENESS
from ladder.host.parent_death import die_with_parent


def main(argv: Sequence[str]) -> int:
    parent, *names = argv
    if not die_with_parent(int(parent)):
        return 1
    # A plug-in may print something, which must not mix with our lines.
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for number, name in enumerate(names):
        if number == 1:
            os.nice(NICENESS)
        print(json.dumps({"game": name, "trouble": _compile(name)}), file=lines, flush=True)
    return 0


def _compile(name: str) -> str:
    """The error that stopped the compilation of a game; empty if none."""
    from engines.compiling import warmup  # imported only after the output of plug-ins is redirected
    from engines.games import find_game

    try:
        warmup.warm(find_game(name))
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
