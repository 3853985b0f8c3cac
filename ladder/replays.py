"""Replay files: one compressed document per match, in the data folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ladder import leftovers
from ladder.errors import NotFound


class ReplayStore:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._incoming = folder / ".incoming"

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
    def staged(self, match_id: int, data: bytes) -> Iterator[StagedReplay]:
        """Write the bytes aside; they take their place only when the caller says so.

        A worker that comes too late must not overwrite the replay of the match that counted. They
        are not forced to disk: a power cut may cost the replays of the last seconds, not results.
        """
        target = self.path(match_id)
        target.parent.mkdir(parents=True, exist_ok=True)
        self._incoming.mkdir(exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=leftovers.signed(""), dir=self._incoming)
        staged = StagedReplay(Path(name), target)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            yield staged
        finally:
            staged.temporary.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove what killed processes of this machine left half-written."""
        leftovers.sweep(self._incoming, "")


class StagedReplay:
    def __init__(self, temporary: Path, target: Path) -> None:
        self.temporary = temporary
        self.target = target

    def keep(self) -> None:
        os.replace(self.temporary, self.target)
