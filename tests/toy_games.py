"""Toys of every kind on the ladder: games that only the tests have, installed like any other."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import engines.games
from engines.competition import Competition

ENTRY_POINTS = """
[evoladder.games]
toys = tests.engines.toys:ON_THE_LADDER
"""


@contextmanager
def entered(*games: Competition) -> Iterator[None]:
    """The catalogue of this process with these games at its end."""
    before = engines.games.GAMES
    _offer((*before, *games), before)
    try:
        yield
    finally:
        _offer(before, engines.games.GAMES)


def _offer(games: tuple[Competition, ...], before: tuple[Competition, ...]) -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith(("engines", "ladder")) and getattr(module, "GAMES", None) is before:
            module.GAMES = games  # type: ignore[attr-defined]


def install(folder: Path) -> dict[str, str]:
    """Environment variables with which another process finds the toys as a plug-in."""
    info = folder / "toys-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    root = Path(__file__).resolve().parent.parent
    return {"PYTHONPATH": f"{folder}:{root}"}
