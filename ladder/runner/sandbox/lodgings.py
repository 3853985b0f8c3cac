"""The folders in which bots find their files: one per cage, gone with it.

A folder belongs to the user id of its bot and is closed to all others. Its name says which process
made it, so that what a killed worker left behind can be told from what is in use.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ladder import leftovers

_PREFIX = ".cage-"


def make_lodging(bots: Path, uid: int | None) -> Path:
    """An empty folder below `bots` that only the user `uid` can enter."""
    bots.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=leftovers.signed(_PREFIX), dir=bots))
    if uid is not None:
        os.chown(folder, uid, uid)
    return folder


def furnish(folder: Path, files: Mapping[str, bytes]) -> None:
    """Lay files out, readable for whoever can enter. Their names were checked before."""
    # Modes are set rather than asked for: whoever runs the server may have a strict umask.
    for parent in sorted({parent for name in files for parent in Path(name).parents}):
        if parent.name:
            (folder / parent).mkdir()
            (folder / parent).chmod(0o755)
    for name, data in files.items():
        with open(folder / name, "xb") as file:
            file.write(data)
            os.fchmod(file.fileno(), 0o444)


def remove_lodging(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def sweep(bots: Path) -> None:
    """Remove what workers of this machine left behind that are no more."""
    leftovers.sweep(bots, _PREFIX)
