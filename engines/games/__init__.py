"""The games that are played here. A new game is one module (or folder) and one line below."""

from __future__ import annotations

from engines.game import AnyGame
from engines.games.connect_four import CONNECT_FOUR
from engines.games.reversi import REVERSI
from engines.games.tanks import TANKS, TANKS_MELEE

GAMES: tuple[AnyGame, ...] = (
    REVERSI,
    CONNECT_FOUR,
    TANKS,
    TANKS_MELEE,
)


def by_name(name: str) -> AnyGame:
    """The game of that name; raises `LookupError` that says which there are."""
    for game in GAMES:
        if game.name == name:
            return game
    known = ", ".join(game.name for game in GAMES)
    raise LookupError(f"there is no game of this name; there are: {known}")
