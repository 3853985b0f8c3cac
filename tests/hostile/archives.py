"""Makes zip files that no honest tool would make, for the uploads of the corpus."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterable, Mapping

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
