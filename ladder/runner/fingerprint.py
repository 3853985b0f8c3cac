"""Identifies the rules of a match: a digest of the source code that decides it."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import engines
from engines.competition import Competition
from engines.compiling.jit import package_digest
from engines.games import foreign_packages

_SOURCES = Path(engines.__file__).resolve().parent


def rules_fingerprint(game: Competition) -> str:
    """It changes with the code of the game and of all games, not with that of other games."""
    own = type(game).__module__.removeprefix("engines.games.").partition(".")[0]
    return _digest(own, foreign_packages(game))


@cache
def _digest(own: str, packages: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    for path in sorted(_SOURCES.rglob("*.py")):
        parts = path.relative_to(_SOURCES).with_suffix("").parts
        if parts[0] != "games" or parts[1] == own:
            digest.update("/".join(parts).encode() + b"\0" + path.read_bytes() + b"\0")
    for name in packages:
        digest.update(package_digest(name).encode())
    return digest.hexdigest()[:16]
