"""Text that others wrote, made harmless for terminals and logs."""

from __future__ import annotations

import sys
from typing import TextIO

_KEPT = "\n\t"


def plain(text: str) -> str:
    """The text with its control and formatting characters spelled out, as in `\\x1b`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _KEPT else _spelled(c) for c in text)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode()


def say(text: str = "", file: TextIO | None = None) -> None:
    """Print a line for people. Commands print only tables and CSV in another way."""
    print(plain(text), file=file or sys.stdout)
