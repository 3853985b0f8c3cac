"""Temporary folders that are locked while their owner lives, so that others can remove dead ones.

The kernel frees a lock when its process ends, also after kill -9. Containers and machines may share
the parent folder: process ids and host names of one mean nothing to another, but locks do. Where
the file system has no locks, dead folders stay.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_LOCK = ".lock"


@dataclass(frozen=True, slots=True)
class HeldFolder:
    """A folder of this process alone. The lock is a file beside it, and so never in its way."""

    path: Path
    lock: int
    """Descriptor of the locked file."""

    def remove(self) -> None:
        """Remove the folder; call it once. A sweep removes the remains later."""
        _remove(self.path)
        os.close(self.lock)


def random_names(prefix: str) -> Iterator[str]:
    while True:
        yield f"{prefix}{secrets.token_hex(4)}"


def hold(parent: Path, names: Iterator[str]) -> HeldFolder:
    """Make a folder below `parent` under the first free name of `names`; raises `OSError`.

    Only its owner can enter. As long as it exists, no other caller gets its name.
    """
    parent.mkdir(parents=True, exist_ok=True)
    for name in names:
        path = parent / name
        try:
            lock = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        try:
            # A sweep may have taken the lock before us; it then removes the file.
            if _take(lock, path, without_locks=True):
                path.mkdir(mode=0o700)
                return HeldFolder(path, lock)
        except FileExistsError:
            pass
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)
    raise FileExistsError(f"no name is left for a folder in {parent}")


@contextlib.contextmanager
def scratch(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """A temporary folder for a block of code. All users can traverse it: bots are other users.

    It is in `parent`, or where the system keeps temporary files.
    """
    parent = parent or Path(tempfile.gettempdir())
    sweep(parent, prefix)
    held = hold(parent, random_names(prefix))
    try:
        held.path.chmod(0o755)
        yield held.path
    finally:
        held.remove()


def sweep(parent: Path, prefix: str) -> None:
    """Remove the folders whose owner has died."""
    for file in parent.glob(f"{prefix}*{_LOCK}"):
        try:
            lock = os.open(file, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:  # another process has just removed it, or it belongs to another user
            continue
        try:
            path = file.with_name(file.name.removesuffix(_LOCK))
            if _take(lock, path, without_locks=False):
                _remove(path)
        finally:
            os.close(lock)


def _lock_of(path: Path) -> Path:
    return path.with_name(path.name + _LOCK)


def _take(lock: int, path: Path, without_locks: bool) -> bool:
    """Whether the lock of `path` is ours now; `without_locks` is the answer where none exist."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return without_locks
    try:
        # Another process may have removed the file, and made a new one, before we had the lock.
        return os.path.samestat(os.fstat(lock), os.stat(_lock_of(path)))
    except FileNotFoundError:
        return False


def _remove(path: Path) -> None:
    """Remove a folder whose lock we hold. The lock goes last: without one, nobody would sweep."""
    shutil.rmtree(path, ignore_errors=True)
    if not path.exists():
        with contextlib.suppress(OSError):
            _lock_of(path).unlink()
