"""The folders of the bots' files: one per cage, removed with it.

A folder belongs to the user id of its bot and is closed to all others. Its name is that id: as long
as the folder exists, no other bot gets the id. A folder is locked while its worker lives, so those
of killed workers differ from those in use, also across containers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ladder.errors import RunnerFailure
from ladder.host import temporary_folders
from ladder.runner.sandbox import user_ids
from ladder.runner.sandbox.identity import acting_as

_PREFIX = ".cage-"
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Lodging:
    """A folder, and the only user that can enter it; None is the user of this process."""

    held: temporary_folders.HeldFolder
    uid: int | None

    @property
    def folder(self) -> Path:
        return self.held.path

    def remove(self) -> None:
        self.held.remove()


def make_lodging(bots: Path, own_user: bool) -> Lodging:
    """An empty folder below `bots`, for a user of its own or for ours; raises `OSError`."""
    held = temporary_folders.hold(bots, (f"{_PREFIX}{uid:x}" for uid in user_ids.candidates()))
    if not own_user:
        return Lodging(held, None)
    uid = int(held.path.name.removeprefix(_PREFIX), 16)
    try:
        os.chown(held.path, uid, uid)
    except OSError:
        held.remove()
        raise
    return Lodging(held, uid)


def furnish(folder: Path, files: Mapping[str, bytes], program: str = "") -> None:
    """Lay files out as the owner of the folder, readable for every user who can enter.

    The file `program`, at the top level, can be executed instead of read: then the kernel also
    closes the memory of its process to others.

    Their names were checked before. They are checked again, and every part of a name is looked up
    in the folder before it and nowhere else, so nothing is ever written outside. Raises
    `RunnerFailure` for a name that is not plain, and `OSError`.
    """
    split = {_parts(name): data for name, data in files.items()}
    with _opened(str(folder), None) as opened:
        owner = os.fstat(opened)
        with acting_as(owner.st_uid, owner.st_gid):
            _lay_out(opened, split, program)


def _parts(name: str) -> tuple[str, ...]:
    parts = tuple(name.split("/"))
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise RunnerFailure(f"{name[:80]!r} is no plain name of a file of a bot")
    return parts


def _lay_out(folder: int, files: Mapping[tuple[str, ...], bytes], program: str = "") -> None:
    # Modes are set explicitly: the server may run with a strict umask.
    below: dict[str, dict[tuple[str, ...], bytes]] = {}
    for (first, *rest), data in files.items():
        if rest:
            below.setdefault(first, {})[tuple(rest)] = data
            continue
        with open(os.open(first, _NEW_FILE, 0o400, dir_fd=folder), "wb") as file:
            file.write(data)
            os.fchmod(file.fileno(), 0o111 if first == program else 0o444)
    for name, inner in below.items():
        os.mkdir(name, 0o700, dir_fd=folder)
        with _opened(name, folder) as opened:
            os.fchmod(opened, 0o755)
            _lay_out(opened, inner)


@contextmanager
def _opened(name: str, parent: int | None) -> Iterator[int]:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, dir_fd=parent)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def sweep(bots: Path) -> None:
    """Remove the folders of workers that have died."""
    temporary_folders.sweep(bots, _PREFIX)
