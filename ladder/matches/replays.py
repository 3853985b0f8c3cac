"""Replay files: packs of many documents, in the data folder.

A pack is written by one process, which appends to it and keeps it locked; the database knows the
place of each document. A document carries its match and a checksum, so a torn pack is noticed.
Files with a single document are those of earlier releases; they are only read and removed.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import struct
import threading
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ladder.errors import DamagedReplay, NotFound
from ladder.values import Interest, Pack, Place

PACK_BYTES = 4 << 20
"""Size at which the next pack is begun. A pack is removed as a whole, so it must not be large."""

PACK_SECONDS = 3600.0
"""Age at which the next pack is begun: replays of one pack are about equally old."""

_HEADER = struct.Struct("<4sqII")
"""Before each document: a mark, the number of its match, its length and its checksum."""
_MARK = b"EVR1"
_SUFFIX = ".pack"
_PACK_NAME = re.compile(r"([0-9a-f]{16})\.pack")


@dataclass(slots=True)
class _OpenPack:
    id: int
    descriptor: int
    opened: float


class ReplayStore:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.packs = folder / "packs"
        self._open: dict[Interest, _OpenPack] = {}
        self._writing = threading.Lock()

    def __del__(self) -> None:
        for pack in self._open.values():
            _close(pack)

    def path(self, match_id: int) -> Path:
        """The file of one replay, as earlier releases stored it."""
        return self.folder / f"{match_id // 1000:06d}" / f"{match_id}.json.gz"

    def pack_path(self, pack_id: int) -> Path:
        return self.packs / f"{pack_id:016x}{_SUFFIX}"

    def read(self, match_id: int, place: Place | None = None) -> bytes:
        """The document of a match; without a place, its own file.

        Raises `NotFound`, or `DamagedReplay` where something else lies at that place.
        """
        try:
            if place is None:
                data = self.path(match_id).read_bytes()
            else:
                with self.pack_path(place.pack_id).open("rb") as file:
                    file.seek(place.offset)
                    data = _read_document(file.read(_HEADER.size + place.bytes), match_id)
        except (FileNotFoundError, OverflowError):
            data = b""
        if not data:
            raise NotFound(f"match {match_id} has no replay")
        return data

    def append(self, documents: Mapping[int, tuple[Interest, bytes]]) -> Appended:
        """Write the documents of matches to the open packs.

        The caller records the places and the packs in the transaction that ends the matches. If
        that fails, the bytes stay in the pack and belong to nothing. The packs are not synced to
        disk: a power cut may lose the replays of the last seconds, but no results.
        """
        places: dict[int, Place] = {}
        packs: dict[int, Pack] = {}
        with self._writing:
            for match_id, (interest, data) in documents.items():
                if not data:
                    continue
                pack = self._pack(interest)
                offset = os.lseek(pack.descriptor, 0, os.SEEK_END)
                header = _HEADER.pack(_MARK, match_id, len(data), zlib.crc32(data))
                try:
                    _write(pack.descriptor, header + data)
                except OSError:
                    _close(self._open.pop(interest))  # it may end in half a document
                    raise
                places[match_id] = Place(pack.id, offset, len(data))
                count = packs[pack.id].replays if pack.id in packs else 0
                end = offset + len(header) + len(data)
                packs[pack.id] = Pack(pack.id, interest, end, count + 1)
        return Appended(places, list(packs.values()))

    def _pack(self, interest: Interest) -> _OpenPack:
        pack = self._open.get(interest)
        if pack is not None:
            size = os.lseek(pack.descriptor, 0, os.SEEK_END)
            young = time.monotonic() - pack.opened < PACK_SECONDS
            if size < PACK_BYTES and young and self.pack_path(pack.id).exists():
                return pack
            _close(self._open.pop(interest))
        self.packs.mkdir(parents=True, exist_ok=True)
        number = secrets.randbits(62)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(self.pack_path(number), flags, 0o600)
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        self._open[interest] = _OpenPack(number, descriptor, time.monotonic())
        return self._open[interest]

    def sizes(self) -> dict[int, int]:
        """The size of each pack in this folder."""
        found: dict[int, int] = {}
        try:
            with os.scandir(self.packs) as entries:
                for entry in entries:
                    name = _PACK_NAME.fullmatch(entry.name)
                    if name is not None:
                        found[int(name[1], 16)] = entry.stat().st_size
        except FileNotFoundError:
            pass
        return found

    @contextmanager
    def claimed(self, pack_id: int) -> Iterator[Path | None]:
        """The path of a pack to which nobody appends now; None if somebody does, or it is gone."""
        path = self.pack_path(pack_id)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            yield None
            return
        try:
            yield path if _is_left(descriptor) else None
        finally:
            os.close(descriptor)

    def matches_in(self, path: Path) -> list[int]:
        """The matches with documents in a pack, as far as it is whole."""
        found: list[int] = []
        with path.open("rb") as file:
            while len(head := file.read(_HEADER.size)) == _HEADER.size:
                mark, match_id, length, _ = _HEADER.unpack(head)
                if mark != _MARK:
                    break
                found.append(match_id)
                file.seek(length, os.SEEK_CUR)
        return found

    def remove(self, match_id: int) -> None:
        """Remove a replay that has its own file. A reader that has opened it gets all of it."""
        self.path(match_id).unlink(missing_ok=True)

    def put_aside(self, match_id: int) -> Path | None:
        """Move a damaged file of one replay aside for inspection; None when there is none."""
        path = self.path(match_id)
        aside = path.with_name(f"{path.name}.damaged")
        try:
            path.replace(aside)
        except FileNotFoundError:
            return None
        return aside


@dataclass(frozen=True, slots=True)
class Appended:
    """Documents that have been written, to be recorded."""

    places: Mapping[int, Place]
    """By match."""
    packs: list[Pack]


def _read_document(raw: bytes, match_id: int) -> bytes:
    if len(raw) >= _HEADER.size:
        mark, number, length, checksum = _HEADER.unpack_from(raw)
        data = raw[_HEADER.size :]
        if (mark, number, length) == (_MARK, match_id, len(data)) and zlib.crc32(data) == checksum:
            return data
    raise DamagedReplay(f"the replay of match {match_id} is damaged in its pack; the result stands")


def _write(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]


def _is_left(descriptor: int) -> bool:
    """Whether nobody appends to a pack; it is locked for us then."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return os.fstat(descriptor).st_mtime < time.time() - 2 * PACK_SECONDS
    return True


def _close(pack: _OpenPack) -> None:
    with suppress(OSError):  # a file system without locks
        # A child process may hold the descriptor as well; the lock ends for it, too.
        fcntl.flock(pack.descriptor, fcntl.LOCK_UN)
    os.close(pack.descriptor)
