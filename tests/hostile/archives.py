"""Makes zip files that no honest tool would make, for the uploads of the corpus."""

from __future__ import annotations

import io
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

BOT = b"def agent(observation, configuration):\n    return observation['legal'][0]\n"


def pack(
    files: Mapping[str, bytes] | Iterable[tuple[str, bytes]],
    modes: Mapping[str, int] = {},
    method: int = zipfile.ZIP_DEFLATED,
    comment: bytes = b"",
) -> bytes:
    """A zip file of `files`, with the modes of Unix that `modes` gives them."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about duplicate names
        for name, data in files.items() if isinstance(files, Mapping) else files:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = modes.get(name, 0o100644) << 16
            entry.compress_type = method
            archive.writestr(entry, data)
        archive.comment = comment
    return packed.getvalue()


def overlapping(count: int, data: bytes) -> bytes:
    """A zip file in which `count` entries share the compressed bytes of one."""
    plain = pack({"bot.py": BOT, "x000": data})
    start = plain.index(b"PK\1\2")
    end = plain.index(b"PK\5\6")
    first = plain.index(b"PK\1\2", start + 1)
    records = plain[start:first]
    for number in range(count - 1):
        records += plain[first:end].replace(b"x000", b"x%03d" % number)
    tail = bytearray(plain[end:])
    tail[8:12] = count.to_bytes(2, "little") * 2
    tail[12:16] = len(records).to_bytes(4, "little")
    return plain[:start] + records + bytes(tail)


@dataclass(frozen=True)
class Entry:
    """An entry of a zip file, with its name in every place that can hold one."""

    name: bytes
    data: bytes = b""
    local_name: bytes | None = None
    """The name in front of the content, if it differs."""
    extra: bytes = b""
    local_extra: bytes = b""


def unicode_path(name: bytes, other: bytes, checksum: int | None = None) -> bytes:
    """An extra field with another name for the entry `name`. Python 3.12 and later believe it."""
    checksum = zlib.crc32(name) if checksum is None else checksum
    return struct.pack("<HHBI", 0x7075, 5 + len(other), 1, checksum) + other


def assemble(*entries: Entry) -> bytes:
    """A zip file, byte by byte: the same from every version of Python."""
    content = directory = b""
    for entry in entries:
        local_name = entry.name if entry.local_name is None else entry.local_name
        size, checksum = len(entry.data), zlib.crc32(entry.data)
        # Version, flags (names are UTF-8), method (stored), time, date.
        start = struct.pack("<HHHHH", 20, 0x800, 0, 0, 0x21)
        sizes = struct.pack("<III", checksum, size, size)
        lengths = struct.pack("<HH", len(local_name), len(entry.local_extra))
        directory += b"PK\1\2" + struct.pack("<H", 0x314) + start + sizes
        directory += struct.pack("<HHHHH", len(entry.name), len(entry.extra), 0, 0, 0)
        directory += struct.pack("<II", 0o100644 << 16, len(content)) + entry.name + entry.extra
        content += b"PK\3\4" + start + sizes + lengths + local_name + entry.local_extra + entry.data
    end = struct.pack("<HHHHIIH", 0, 0, len(entries), len(entries), len(directory), len(content), 0)
    return content + directory + b"PK\5\6" + end
