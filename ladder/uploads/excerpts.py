"""The lines of a bot's source around the one that failed, found by the text of the complaint.

Complaints come from inside the sandbox and are not trusted: a place that is not in the source gives
no excerpt.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from ladder.errors import Refusal
from ladder.runner.package import ENTRY, read_package
from ladder.runner.uploads import kind_of
from ladder.values import Kind
from ladder.views import Excerpt, ExcerptLine

AROUND = 3
"""Lines shown before and after the one that failed."""

MOST_CHARACTERS = 200
"""Most characters of a line; longer ones are cut."""

_BINARY = (Kind.WASM, Kind.NATIVE)

_PLACE = re.compile(
    r"(?:(?P<file>[\w.-]{1,100}\.py) )?line (?P<line>\d{1,7})(?:,? column (?P<column>\d{1,7}))?"
)


def find_excerpt(complaint: str, upload: bytes) -> Excerpt | None:
    """The place that a complaint names, as in `bot.py line 3 column 5: SyntaxError: …`."""
    place = _PLACE.search(complaint)
    if place is None:
        return None
    name, source = _source(upload, place["file"])
    lines = source.splitlines()
    number = int(place["line"])
    if not 1 <= number <= len(lines):
        return None
    first, last = max(1, number - AROUND), min(len(lines), number + AROUND)
    return Excerpt(
        file=name,
        line=number,
        column=_column(place["column"], lines[number - 1]),
        lines=[ExcerptLine(n, lines[n - 1][:MOST_CHARACTERS]) for n in range(first, last + 1)],
    )


def read_source(upload: bytes) -> str:
    """The text of an upload that is one file of text; empty for archives and modules."""
    if kind_of(upload) in _BINARY or upload.startswith(b"PK"):
        return ""
    return upload.decode("utf-8", "replace")


def _source(upload: bytes, file: str | None) -> tuple[str, str]:
    """Name and text of the file of that name, anywhere in an archive."""
    if kind_of(upload) in _BINARY:
        return "", ""
    if not upload.startswith(b"PK"):
        return file or "", read_source(upload) if file in (None, ENTRY) else ""
    try:
        files = read_package(upload)
    except Refusal:
        return "", ""
    for name, data in files.items():
        if PurePosixPath(name).name == (file or ENTRY):
            return name, data.decode("utf-8", "replace")
    return "", ""


def _column(text: str | None, line: str) -> int | None:
    if text is None or not 1 <= int(text) <= min(len(line) + 1, MOST_CHARACTERS):
        return None
    return int(text)
