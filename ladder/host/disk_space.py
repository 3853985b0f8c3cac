"""Whether the disk has room: uploads and new matches stop before what runs cannot be recorded."""

from __future__ import annotations

import shutil
from pathlib import Path

KEPT_BYTES = 64 * 1024 * 1024
KEPT_SHARE = 20
"""So many bytes are left free, or on a small disk one in so many."""


def is_low(folder: Path) -> bool:
    try:
        disk = shutil.disk_usage(folder)
    except OSError:
        return False  # it is not there: whoever needs it will say so
    return disk.free < min(KEPT_BYTES, disk.total // KEPT_SHARE)
