"""Says what a bus error means before the process ends.

SQLite shares memory between processes through a file beside the database. If that file becomes
immutable, or its disk fails, the next write to this memory ends the process with SIGBUS, which
Python cannot catch.
"""

from __future__ import annotations

import ctypes
import os
import signal

MESSAGE = (
    b"the database, or the disk that holds it, has become unwritable or has failed during a "
    b"transaction (SIGBUS), so the process ends; nothing that was confirmed is lost: make the "
    b"folder of the data writable again and start it again\n"
)


def _end(_: int) -> None:
    os.write(2, MESSAGE)
    os._exit(1)


_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int)(_end)


def explain_bus_errors() -> None:
    """Print `MESSAGE` on a bus error, and end with status 1."""
    # A handler of the module `signal` would never run: the faulting instruction repeats forever.
    ctypes.CDLL(None).signal(signal.SIGBUS, _HANDLER)
