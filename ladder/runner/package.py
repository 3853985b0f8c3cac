"""Reads uploads of Python code, a `bot.py` or a zip file with it at its top level, and zip files.

Nothing of an upload is executed or compiled here, and its headers are not trusted: sizes are
counted while unpacking, and names must be plain. Every refusal has its own sentence for the author.

A zip file contains each name several times, and versions of Python read different ones.
The name in the central directory is taken here, and every other must agree with it.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from ladder.errors import BadUpload, TooLarge
from ladder.runner.file_names import check_distinct, check_file_name

MAX_UPLOAD_BYTES = 1 << 20
MAX_UNPACKED_BYTES = 8 << 20
MAX_FILES = 200
MAX_RATIO = 200
"""Unpacked to packed size of one file. Deflate reaches about 1000 on zeros, 50 on honest data."""

_RATIO_COUNTS_FROM = 256 << 10
"""Smaller files may have any ratio."""

ENTRY = "bot.py"

_LOCAL_HEADER = struct.Struct("<4s22xHH")
"""Its signature, and the lengths of the name and of the extra fields that follow it."""
_LOCAL_SIGNATURE = b"PK\x03\x04"
_UTF8_NAME = 0x800
_UNICODE_PATH = 0x7075
"""An extra field with another name for the file: a version, a checksum, and the name."""
_UNICODE_PATH_HEAD_BYTES = 5

_FOREIGN = {
    b"MZ": "a Windows program",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF document",
    b"\x1f\x8b": "a gzip file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"7z\xbc\xaf": "a 7-zip file",
    b"Rar!": "a RAR file",
    b"\xa7\r\r\n": "compiled Python",
}


def read_package(data: bytes) -> dict[str, bytes]:
    """The files of an upload by their relative names, always with a `bot.py`.

    The content decides the kind of the upload. Raises `BadUpload`, or `TooLarge`.
    """
    if not data:
        raise BadUpload("The file is empty.")
    if len(data) > MAX_UPLOAD_BYTES:
        raise TooLarge(f"The file has {len(data)} bytes; at most {MAX_UPLOAD_BYTES} are allowed.")
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        files = read_archive(data)
        if ENTRY not in files:
            raise BadUpload(_missing_entry(list(files)))
        _check_source(files[ENTRY])
        return files
    for magic, name in _FOREIGN.items():
        if data.startswith(magic):
            raise BadUpload(f"This is {name}; upload a .py file, or a .zip file with {ENTRY}.")
    return {ENTRY: _check_source(data)}


def _check_source(data: bytes) -> bytes:
    if b"\x00" in data:
        raise BadUpload(f"{ENTRY} contains a NUL byte, so it is no Python source.")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadUpload(f"{ENTRY} is not UTF-8 text (line {line}).") from error
    if not data.strip():
        raise BadUpload(f"{ENTRY} is empty.")
    return data


@dataclass(frozen=True)
class _Member:
    """An entry of a zip file under the only name by which it is checked, found and laid out."""

    name: str
    info: zipfile.ZipInfo

    @property
    def is_folder(self) -> bool:
        return self.name.endswith("/")


def read_archive(data: bytes, most_bytes: int = MAX_UNPACKED_BYTES) -> dict[str, bytes]:
    """The files of a zip file; raises `BadUpload`, or `TooLarge` if they have more bytes in all."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
        raise BadUpload(f"The zip file is damaged: {error}.") from error
    with archive:
        entries = archive.infolist()
        if len(entries) > MAX_FILES:
            raise BadUpload(f"The zip file has {len(entries)} entries; at most {MAX_FILES}.")
        # Not `filename`: that is cut at a NUL and, from Python 3.12 on, taken from an extra field.
        members = [_Member(entry.orig_filename, entry) for entry in entries]
        for member in members:
            _check_member(member, data)
        plain = [member for member in members if not member.is_folder]
        names = [member.name for member in plain]
        check_distinct(names)
        too_much = TooLarge(f"The zip file unpacks to more than {most_bytes} bytes.")
        if sum(member.info.file_size for member in plain) > most_bytes:
            raise too_much
        files: dict[str, bytes] = {}
        left = most_bytes
        for member in plain:
            files[member.name] = _read_member(archive, member, left, too_much)
            left -= len(files[member.name])
    return files


def _missing_entry(names: list[str]) -> str:
    inner = next((name for name in names if name.endswith("/" + ENTRY)), None)
    if inner is None:
        return f"The zip file has no {ENTRY}."
    return f"The zip file has {inner}, but {ENTRY} must be at its top level."


def _check_member(member: _Member, data: bytes) -> None:
    """Refuse everything but plain files and folders with one plain name."""
    name, entry = member.name, member.info
    shown = repr(name[:80])
    if not entry.flag_bits & _UTF8_NAME and not name.isascii():
        raise BadUpload(f"The name {shown} in the zip file is not marked as UTF-8.")
    check_file_name(name)
    _check_one_name(member, data)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        raise BadUpload(f"{shown} in the zip file is a symbolic link.")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BadUpload(f"{shown} in the zip file is a special file.")
    if entry.flag_bits & 0x1:
        raise BadUpload(f"{shown} in the zip file is encrypted.")
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadUpload(f"{shown} in the zip file is compressed in an unusual way; use deflate.")
    if entry.file_size > _RATIO_COUNTS_FROM and entry.file_size > MAX_RATIO * entry.compress_size:
        raise BadUpload(f"{shown} in the zip file is compressed more than {MAX_RATIO} times.")


def _check_one_name(member: _Member, data: bytes) -> None:
    """Refuse an entry that has another name in its local header or in an extra field."""
    raw = member.name.encode()
    shown = repr(member.name[:80])
    local_name, local_extra = _local_header(member, data)
    others = [local_name]
    for extra in (member.info.extra, local_extra):
        for kind, content in _extra_fields(extra, shown):
            if kind == _UNICODE_PATH:
                others.append(content[_UNICODE_PATH_HEAD_BYTES:])
    for other in others:
        if other != raw:
            raise BadUpload(
                f"{shown} in the zip file has a second name, "
                f"{other[:80].decode(errors='replace')!r}; pack it again with one."
            )


def _local_header(member: _Member, data: bytes) -> tuple[bytes, bytes]:
    """The name and the extra fields that an entry has in front of its content."""
    start = member.info.header_offset
    header = data[start : start + _LOCAL_HEADER.size] if start >= 0 else b""
    if len(header) < _LOCAL_HEADER.size or not header.startswith(_LOCAL_SIGNATURE):
        raise BadUpload(f"{member.name[:80]!r} in the zip file is damaged: it has no header.")
    _, name_bytes, extra_bytes = _LOCAL_HEADER.unpack(header)
    start += _LOCAL_HEADER.size
    name_end = start + name_bytes
    return data[start:name_end], data[name_end : name_end + extra_bytes]


def _extra_fields(extra: bytes, shown: str) -> Iterator[tuple[int, bytes]]:
    """The kinds and contents of extra fields; some tools pad the last with up to three bytes."""
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<HH", extra)
        if 4 + length > len(extra):
            raise BadUpload(f"{shown} in the zip file is damaged: its extra fields are cut off.")
        yield kind, extra[4 : 4 + length]
        extra = extra[4 + length :]


def _read_member(archive: zipfile.ZipFile, member: _Member, left: int, too_much: TooLarge) -> bytes:
    """Unpack one file without trust in its header; more than `left` bytes are `too_much`."""
    shown = repr(member.name)
    try:
        with archive.open(member.info) as file:
            data = file.read(left + 1)
            if len(data) > left:
                raise too_much
            # The read at the end makes `zipfile` compare the checksum.
            file.read(1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BadUpload(f"{shown} in the zip file is damaged: {error}.") from error
    except (OSError, ValueError) as error:
        raise BadUpload(f"{shown} in the zip file is damaged.") from error
    if len(data) != member.info.file_size:
        raise BadUpload(f"{shown} in the zip file is not as long as it says.")
    return data
