"""Replay files: one compressed document per match, in the data folder."""

from __future__ import annotations

import itertools
import os
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from ladder import leftovers
from ladder.errors import NotFound

T = TypeVar("T")

INCOMING = ".incoming"


class ReplayStore:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Machines share the folder, and their names may be the same.
        mine = leftovers.signed("") + secrets.token_hex(4)
        self._incoming = f"{folder / INCOMING}/{mine}-"
        self._numbers = itertools.count()

    def path(self, match_id: int) -> Path:
        # A thousand files to a folder keeps every folder quick to list.
        return self.folder / f"{match_id // 1000:06d}" / f"{match_id}.json.gz"

    def read(self, match_id: int) -> bytes:
        try:
            data = self.path(match_id).read_bytes()
        except (FileNotFoundError, OverflowError):
            data = b""
        if not data:
            raise NotFound(f"match {match_id} has no replay")
        return data

    def remove(self, match_id: int) -> None:
        """Whoever reads it at this moment still gets all of it."""
        self.path(match_id).unlink(missing_ok=True)

    @contextmanager
    def staged(self, documents: Mapping[int, bytes]) -> Iterator[Callable[[int], None]]:
        """Write documents of matches aside; each takes its place when the caller says so.

        A worker that comes too late must not overwrite the replay of the match that counted. They
        are not forced to disk: a power cut may cost the replays of the last seconds, not results.
        """
        waiting: dict[int, str] = {}

        def keep(match_id: int) -> None:
            _with_folder(os.replace, waiting[match_id], os.fspath(self.path(match_id)))
            del waiting[match_id]

        try:
            for match_id, data in documents.items():
                waiting[match_id] = f"{self._incoming}{next(self._numbers)}"
                _with_folder(_write, data, waiting[match_id])
            yield keep
        finally:
            for name in waiting.values():
                with suppress(FileNotFoundError):
                    os.unlink(name)

    def sweep(self) -> None:
        """Remove what killed processes of this machine left half-written."""
        leftovers.sweep(self.folder / INCOMING, "")


def _with_folder(work: Callable[[T, str], None], thing: T, path: str) -> None:
    """Do what makes a file at a path, in a folder that may not be there yet."""
    try:
        work(thing, path)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        work(thing, path)


def _write(data: bytes, path: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)
