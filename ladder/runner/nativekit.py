"""Becomes a native bot inside the sandbox.

Stdlib only; it is loaded before the walls stand. They stay when the bot takes the place of this
process.
"""

from __future__ import annotations

import os
import sys

import botkit

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing `typing` would take longer than the rest
    from typing import NoReturn


def run(folder: str) -> NoReturn:
    """Start the program `bot` in `folder`, the current directory."""
    botkit.await_bot()
    # The referee stops the process when it reads this, and lets it go on for the first request.
    os.write(1, botkit.SCRIPT)
    try:
        os.execve("bot", ["bot"], {})
    except OSError as error:
        sys.stderr.write(f"\nthe program cannot be started: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(botkit.EXIT_NOT_LOADED)
