"""Names of temporary files that say who made them, so that what the dead left can be removed.

Machines may share a folder, and their process ids mean nothing to each other: each removes what
processes of its own left behind.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
from pathlib import Path


def signed(prefix: str) -> str:
    """The beginning of a name for what this process makes."""
    return f"{prefix}{_host()}-{os.getpid()}-"


def sweep(folder: Path, prefix: str) -> None:
    """Remove files and folders of processes of this machine that are no more."""
    ours = f"{prefix}{_host()}-"
    for path in folder.glob(f"{ours}*"):
        pid = path.name.removeprefix(ours).partition("-")[0]
        if pid.isdecimal() and not Path(f"/proc/{pid}").exists():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):  # another process may sweep at the same time
                    path.unlink()


def _host() -> str:
    return socket.gethostname().replace("-", "_")
