"""Checks the free disk space: uploads and new matches stop before running matches cannot be
recorded.
"""

from __future__ import annotations

import shutil
from pathlib import Path

KEPT_BYTES = 64 * 1024 * 1024
KEPT_SHARE = 20
"""Free bytes to keep, and on a small disk the share of it."""


def is_low(folder: Path) -> bool:
    try:
        disk = shutil.disk_usage(folder)
    except OSError:
        return False  # the folder is missing: the code that needs it reports that
    return disk.free < min(KEPT_BYTES, disk.total // KEPT_SHARE)
