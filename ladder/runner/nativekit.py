"""Becomes a native bot inside the sandbox.

Stdlib only; it is loaded before the walls stand. They stay when the bot takes the place of this
process. It says what the `botkit` says for a script, but does not import it: that would take longer
than everything here.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing `typing` would take longer than the rest
    from typing import NoReturn

_SCRIPT = b"script\n"
_EXIT_NOT_LOADED = 80


def run(folder: str) -> NoReturn:
    """Start the program `bot` in `folder`, the current directory, when it is there."""
    byte = b" "
    while byte not in (b"\n", b""):
        byte = os.read(0, 1)
    if not byte:
        os._exit(0)  # this cage was not needed
    # The referee stops the process when it reads this, and lets it go on for the first request.
    os.write(1, _SCRIPT)
    try:
        os.execve("bot", ["bot"], {})
    except OSError as error:
        os.write(2, f"\nthe program cannot be started: {error.strerror}\n".encode())
        os._exit(_EXIT_NOT_LOADED)
