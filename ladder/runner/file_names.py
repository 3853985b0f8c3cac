"""Rules for the file names of an upload.

A name must mean the same file on every system and in every tool, and must stay in its folder. The
rules are stricter than Linux needs, because authors work on other systems too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from ladder.errors import BadUpload

MAX_DEPTH = 8
MAX_NAME_BYTES = 200

_NOT_ON_WINDOWS = frozenset('<>"|?*')
_RESERVED = frozenset(
    (
        *("con", "prn", "aux", "nul", "conin$", "conout$", "clock$"),
        # Windows takes superscript digits for digits here.
        *(f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789¹²³"),
    )
)
_ABOUT_PYTHON = (".pth", "._pth")
"""Files that change where an interpreter imports from."""


def check_file_name(name: str) -> None:
    """Refuse a name that is not plain; a folder's name ends with a slash. Raises `BadUpload`."""
    shown = repr(name[:80])
    if any(not character.isprintable() for character in name):
        raise BadUpload(f"The name {shown} in the zip file has a control character.")
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
    for part in parts:
        _check_part(part, shown)


def _check_part(part: str, shown: str) -> None:
    if (odd := next((c for c in part if not _is_ordinary(c)), None)) is not None:
        raise BadUpload(
            f"The name {shown} in the zip file has the character {odd!r}; use letters, digits "
            "and ordinary punctuation."
        )
    if part[-1] in ". " or part[0] == " ":
        raise BadUpload(
            f"A part of the name {shown} in the zip file begins with a space, or ends with a space "
            "or a dot, which some systems drop; rename it."
        )
    if part.partition(".")[0].rstrip().casefold() in _RESERVED:
        raise BadUpload(f"The name {shown} in the zip file is reserved on Windows; rename it.")
    if part.casefold().endswith(_ABOUT_PYTHON):
        raise BadUpload(
            f"The name {shown} in the zip file is one of Python's own settings, which bots cannot "
            "change; leave it out."
        )


def _is_ordinary(character: str) -> bool:
    """Letters of all languages with their marks, digits, and the ASCII that all systems allow."""
    if character.isascii():
        return character not in _NOT_ON_WINDOWS
    return unicodedata.category(character)[0] in "LMN"


def check_distinct(names: Sequence[str]) -> None:
    """Refuse names that some file system would take for one another; raises `BadUpload`."""
    seen: dict[str, str] = {}
    for name in names:
        if (other := seen.setdefault(_folded(name), name)) != name or names.count(name) > 1:
            raise BadUpload(f"The zip file has both {other!r} and {name!r}.")
    for name in names:
        parts = _folded(name).split("/")
        for length in range(1, len(parts)):
            if (folder := "/".join(parts[:length])) in seen:
                raise BadUpload(f"{seen[folder]!r} is both a file and a folder in the zip file.")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name.casefold())
