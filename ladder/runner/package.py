"""Reads uploads of Python code: a `bot.py`, or a zip file with `bot.py` at its top level.

Nothing of an upload is executed or compiled here, and nothing of it is believed: sizes are counted
while unpacking, and names must be plain. Every refusal has its own sentence for the author.
"""

from __future__ import annotations

import io
import stat
import unicodedata
import zipfile
import zlib

from ladder.errors import BadUpload, TooLarge

MAX_UPLOAD_BYTES = 1 << 20
MAX_UNPACKED_BYTES = 8 << 20
MAX_FILES = 200
MAX_DEPTH = 8
MAX_NAME_BYTES = 200
MAX_RATIO = 200
"""Unpacked to packed size of one file. Deflate reaches about 1000 on zeros, 50 on honest data."""

_RATIO_COUNTS_FROM = 256 << 10
"""Smaller files may compress as well as they like."""

ENTRY = "bot.py"

_FOREIGN = {
    b"\x7fELF": "a Linux program",
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

    What the upload is, is decided by its content. Raises `BadUpload`, or `TooLarge`.
    """
    if not data:
        raise BadUpload("The file is empty.")
    if len(data) > MAX_UPLOAD_BYTES:
        raise TooLarge(f"The file has {len(data)} bytes; at most {MAX_UPLOAD_BYTES} are allowed.")
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _read_zip(data)
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


def _read_zip(data: bytes) -> dict[str, bytes]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
        raise BadUpload(f"The zip file is damaged: {error}.") from error
    with archive:
        entries = archive.infolist()
        if len(entries) > MAX_FILES:
            raise BadUpload(f"The zip file has {len(entries)} entries; at most {MAX_FILES}.")
        for entry in entries:
            _check_entry(entry)
        plain = [entry for entry in entries if not entry.is_dir()]
        _check_names([entry.filename for entry in plain])
        if ENTRY not in {entry.filename for entry in plain}:
            raise BadUpload(_missing_entry([entry.filename for entry in plain]))
        if sum(entry.file_size for entry in plain) > MAX_UNPACKED_BYTES:
            raise TooLarge(_too_much())
        files: dict[str, bytes] = {}
        left = MAX_UNPACKED_BYTES
        for entry in plain:
            files[entry.filename] = _read_entry(archive, entry, left)
            left -= len(files[entry.filename])
    _check_source(files[ENTRY])
    return files


def _too_much() -> str:
    return f"The zip file unpacks to more than {MAX_UNPACKED_BYTES} bytes."


def _missing_entry(names: list[str]) -> str:
    inner = next((name for name in names if name.endswith("/" + ENTRY)), None)
    if inner is None:
        return f"The zip file has no {ENTRY}."
    return f"The zip file has {inner}, but {ENTRY} must be at its top level."


def _check_entry(entry: zipfile.ZipInfo) -> None:
    """Refuse what is no plain file or folder with a plain name."""
    # `filename` has been cut at a NUL and cleaned of backslashes on some systems.
    name = entry.orig_filename
    shown = repr(name[:80])
    if any(not character.isprintable() for character in name):
        raise BadUpload(f"The name {shown} in the zip file has a control character.")
    if not entry.flag_bits & 0x800 and not name.isascii():
        raise BadUpload(f"The name {shown} in the zip file is not marked as UTF-8.")
    if len(name.encode()) > MAX_NAME_BYTES:
        raise BadUpload(f"The name {shown} in the zip file is too long.")
    if "\\" in name:
        raise BadUpload(f"The name {shown} in the zip file has a backslash.")
    if name.startswith("/") or ":" in name:
        raise BadUpload(f"The name {shown} in the zip file is not relative.")
    parts = name.removesuffix("/").split("/")
    if ".." in parts:
        raise BadUpload(f"The name {shown} in the zip file leads out of its folder.")
    if "." in parts or "" in parts:
        raise BadUpload(f"The name {shown} in the zip file has an empty part.")
    if len(parts) > MAX_DEPTH:
        raise BadUpload(f"The name {shown} in the zip file is nested deeper than {MAX_DEPTH}.")
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


def _check_names(names: list[str]) -> None:
    """Refuse names that some file system would take for one another."""
    seen: dict[str, str] = {}
    for name in names:
        if (other := seen.setdefault(_plain(name), name)) != name or names.count(name) > 1:
            raise BadUpload(f"The zip file has both {other!r} and {name!r}.")
    for name in names:
        parts = _plain(name).split("/")
        for length in range(1, len(parts)):
            if (folder := "/".join(parts[:length])) in seen:
                raise BadUpload(f"{seen[folder]!r} is both a file and a folder in the zip file.")


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name.casefold())


def _read_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> bytes:
    """Unpack one file, never more than `left` bytes, whatever its header says."""
    try:
        with archive.open(entry) as file:
            data = file.read(left + 1)
            if len(data) > left:
                raise TooLarge(_too_much())
            # Reading on at the end is what makes `zipfile` compare the checksum.
            file.read(1)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BadUpload(f"{entry.filename!r} in the zip file is damaged: {error}.") from error
    except (OSError, ValueError) as error:
        raise BadUpload(f"{entry.filename!r} in the zip file is damaged.") from error
    if len(data) != entry.file_size:
        raise BadUpload(f"{entry.filename!r} in the zip file is not as long as it says.")
    return data
