"""Rules for the names of accounts and bots."""

from __future__ import annotations

import re
import unicodedata

from ladder.errors import Refusal

MAX_LENGTH = 40
_PATTERN = re.compile(r"[^\W_](?:[\w .-]*[\w.-])?")


def check_name(name: str, what: str) -> tuple[str, str]:
    """The name as it is shown and the key it is compared by, or a `Refusal`."""
    shown = unicodedata.normalize("NFC", name)
    if not 1 <= len(shown) <= MAX_LENGTH:
        raise Refusal(f"{what} must have 1 to {MAX_LENGTH} characters")
    if not _PATTERN.fullmatch(shown):
        raise Refusal(
            f"{what} must begin with a letter or digit and hold only letters, digits, spaces, "
            "'.', '-' and '_'"
        )
    return shown, unicodedata.normalize("NFKC", shown).casefold()
