"""Replay files: one compressed document per match, in the data folder."""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from ladder.errors import NotFound
from ladder.host import temporary_folders

INCOMING = ".incoming"


class ReplayStore:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._incoming: temporary_folders.HeldFolder | None = None
        self._holding = threading.Lock()
        self._numbers = itertools.count()

    def path(self, match_id: int) -> Path:
        # With a thousand files each, every folder is quick to list.
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
        """A reader that has opened it still gets all of it."""
        self.path(match_id).unlink(missing_ok=True)

    def put_aside(self, match_id: int) -> Path | None:
        """Move a damaged file aside for inspection; None when there is none."""
        path = self.path(match_id)
        aside = path.with_name(f"{path.name}.damaged")
        try:
            path.replace(aside)
        except FileNotFoundError:
            return None
        return aside

    @contextmanager
    def staged(self, documents: Mapping[int, bytes]) -> Iterator[Callable[[int], None]]:
        """Write documents of matches to temporary files; the caller moves each into its place.

        A late worker must not overwrite the replay of the match that counted. The files are not
        synced to disk: a power cut may lose the replays of the last seconds, but no results.
        """
        folder = self._hold_incoming()
        waiting: dict[int, str] = {}

        def keep(match_id: int) -> None:
            place = self.path(match_id)
            try:
                os.replace(waiting[match_id], place)
            except FileNotFoundError:
                place.parent.mkdir(exist_ok=True)
                os.replace(waiting[match_id], place)
            del waiting[match_id]

        try:
            for match_id, data in documents.items():
                waiting[match_id] = f"{folder}/{next(self._numbers)}"
                _write(waiting[match_id], data)
            yield keep
        finally:
            for name in waiting.values():
                with suppress(FileNotFoundError):
                    os.unlink(name)

    def _hold_incoming(self) -> Path:
        """A folder of this store only; a folder for each transaction would double the cost."""
        with self._holding:
            if self._incoming is None or not self._incoming.path.exists():
                self._incoming = temporary_folders.hold(
                    self.folder / INCOMING, temporary_folders.random_names("")
                )
                weakref.finalize(self, self._incoming.remove)
            return self._incoming.path

    def sweep(self) -> None:
        """Remove half-written files of killed processes."""
        temporary_folders.sweep(self.folder / INCOMING, "")


def _write(path: str, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(data)
