"""Reads uploads of native bots: a Linux program, or a zip file with `bot` at its top level.

Nothing of an upload is executed here. The header says whether the kernel could start the program
without any other file, since a sandbox has none. The walls do not depend on this check: it gives
authors a sentence instead of a crash.
"""

from __future__ import annotations

import io
import platform
import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ladder.errors import BadUpload, TooLarge
from ladder.runner.package import read_archive

MAGIC = b"\x7fELF"
PROGRAM = "bot"
"""The name of the program in a zip file, and in the folder of the bot."""

MARKER = "protocol"
"""The name of the file in a zip file that chooses another protocol."""

MAX_PROGRAM_BYTES = 32 << 20
"""No setting allows more: workers get the program with every match."""

_ARCHIVE_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
_ADDRESSES = 1 << 47
"""The address space of a process."""

_MOST_LOADED_BYTES = 1 << 30
_MOST_SEGMENTS = 64
"""Linkers make about ten."""

_MACHINES = {"x86_64": 62, "aarch64": 183}
_MACHINE_NAMES = {
    3: "x86 (32-bit)",
    40: "ARM (32-bit)",
    62: "x86_64",
    183: "aarch64",
    243: "RISC-V",
}
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_DYNAMIC_ENTRY = struct.Struct("<qQ")
_EXECUTABLE, _SHARED = 2, 3
"""Types of files: a program at fixed addresses, and one at any address (or a library)."""

_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3
_CAN_EXECUTE = 1
_NEEDED = 1
"""The tag of a library that the program needs."""

_STATIC = "link it statically (cc -static, or CGO_ENABLED=0 go build, or a musl target of rustc)"


@dataclass(frozen=True, slots=True)
class _Segment:
    kind: int
    flags: int
    offset: int
    address: int
    file_bytes: int
    memory_bytes: int

    @property
    def end(self) -> int:
        return self.address + self.memory_bytes


def is_native(data: bytes) -> bool:
    """Whether an upload looks like a native bot; never raises."""
    if data.startswith(MAGIC):
        return True
    if not data.startswith(_ARCHIVE_MAGIC):
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = {entry.orig_filename for entry in archive.infolist()}
    except Exception:  # a damaged archive: its reader says what is wrong
        return False
    return PROGRAM in names and "bot.py" not in names


def read_native(data: bytes) -> dict[str, bytes]:
    """The files of a native bot by their relative names, always with `bot`.

    Raises `BadUpload`, or `TooLarge`.
    """
    if len(data) > MAX_PROGRAM_BYTES:
        raise TooLarge(f"The file has {len(data)} bytes; at most {MAX_PROGRAM_BYTES} are allowed.")
    files = {PROGRAM: data} if data.startswith(MAGIC) else read_archive(data, MAX_PROGRAM_BYTES)
    check_program(files[PROGRAM])
    return files


def speaks_uci(files: dict[str, bytes]) -> bool:
    """Whether a native bot chooses UCI instead of our protocol; raises `BadUpload` for others."""
    if MARKER not in files:
        return False
    if files[MARKER].strip() != b"uci":
        raise BadUpload(f"The file {MARKER} must have the word uci; leave it out for JSON lines.")
    return True


def check_program(data: bytes) -> None:
    """Raise `BadUpload` unless the bytes are a program that the kernel can start alone."""
    if data.startswith(b"#!"):
        raise BadUpload("bot is a script; upload a compiled program, or Python as bot.py.")
    if not data.startswith(MAGIC):
        raise BadUpload("bot is no Linux program (ELF).")
    kind, entry, segments = _read_headers(data)
    if b"UPX!" in data[:4096]:
        raise BadUpload("The program is packed by UPX; upload it as the linker wrote it.")
    if any(one.kind == _INTERPRETER for one in segments):
        raise BadUpload(f"The program needs a dynamic linker, and bots have none; {_STATIC}.")
    for one in segments:
        if one.kind == _DYNAMIC and _NEEDED in _dynamic_tags(data, one):
            raise BadUpload(f"The program needs shared libraries, and bots have none; {_STATIC}.")
    loaded = sorted((one for one in segments if one.kind == _LOAD), key=lambda one: one.address)
    _check_loaded(loaded)
    if not any(
        one.flags & _CAN_EXECUTE and one.address <= entry < one.address + one.file_bytes
        for one in loaded
    ):
        what = "a library" if kind == _SHARED and entry == 0 else "damaged"
        raise BadUpload(f"The file is {what}: its start address is not in its code.")


def _read_headers(data: bytes) -> tuple[int, int, list[_Segment]]:
    """The type of the file, its start address, and its segments."""
    if len(data) < _HEADER.size:
        raise BadUpload("The program is cut off in its header.")
    ident, kind, machine, version, entry, start, _, _, size, each, count, *_ = _HEADER.unpack_from(
        data
    )
    if ident[4] == 1:
        raise BadUpload("This is a 32-bit program; build it for 64 bits.")
    if ident[4] != 2 or ident[5] not in (1, 2) or ident[6] != 1:
        raise BadUpload("The header of the program is damaged.")
    if ident[5] == 2:
        raise BadUpload("This is a program for big-endian machines; this server is little-endian.")
    if machine != _MACHINES.get(platform.machine()):
        name = _MACHINE_NAMES.get(machine, f"machine type {machine}")
        raise BadUpload(f"The program is built for {name}; this server is {platform.machine()}.")
    if kind == 1:
        raise BadUpload("This is an object file; link it to a program.")
    if kind == 4:
        raise BadUpload("This is a core dump, no program.")
    if kind not in (_EXECUTABLE, _SHARED) or version != 1 or size != _HEADER.size:
        raise BadUpload("The header of the program is damaged.")
    if each != _SEGMENT.size or not 1 <= count <= _MOST_SEGMENTS:
        raise BadUpload(f"The program must have 1 to {_MOST_SEGMENTS} segments, not {count}.")
    if start + count * _SEGMENT.size > len(data):
        raise BadUpload("The program is cut off in its list of segments.")
    segments = []
    for number in range(count):
        fields = _SEGMENT.unpack_from(data, start + number * _SEGMENT.size)
        segments.append(_Segment(*fields[:4], *fields[5:7]))
        if segments[-1].offset + segments[-1].file_bytes > len(data):
            raise BadUpload(f"The program is cut off in segment {number}.")
    return kind, entry, segments


def _dynamic_tags(data: bytes, segment: _Segment) -> Iterator[int]:
    end = segment.offset + segment.file_bytes
    for place in range(segment.offset, end - _DYNAMIC_ENTRY.size + 1, _DYNAMIC_ENTRY.size):
        tag, _ = _DYNAMIC_ENTRY.unpack_from(data, place)
        if tag == 0:
            return
        yield tag


def _check_loaded(loaded: list[_Segment]) -> None:
    if not loaded:
        raise BadUpload("The program has no segment that is loaded.")
    for one in loaded:
        if one.memory_bytes < one.file_bytes or one.end > _ADDRESSES:
            raise BadUpload("A segment of the program has an impossible size or address.")
    for one, after in pairwise(loaded):
        if one.end > after.address:
            raise BadUpload("Two segments of the program overlap.")
    if (total := sum(one.memory_bytes for one in loaded)) > _MOST_LOADED_BYTES:
        raise BadUpload(
            f"The program takes {total >> 20} MiB when it is loaded; "
            f"at most {_MOST_LOADED_BYTES >> 20} MiB are possible."
        )
