"""All games: the built-in ones, and plug-ins of other packages.

A new game is one module (or folder) and one line in `BUILT_IN`.
"""

from __future__ import annotations

from engines.competition import Competition
from engines.games.backgammon import BACKGAMMON
from engines.games.checkers import AMERICAN, LARGE, LOSING
from engines.games.chess.game import CHESS, CHESS_ENDGAMES
from engines.games.chess.mates import CHESS_MATES
from engines.games.connect_four import CONNECT_FOUR
from engines.games.racing.simulation import RACING, TIME_TRIAL
from engines.games.reversi import REVERSI
from engines.games.tanks.simulation import TANKS, TANKS_MELEE
from engines.plugins import load_plugins

BUILT_IN: tuple[Competition, ...] = (
    REVERSI,
    CONNECT_FOUR,
    AMERICAN,
    LOSING,
    LARGE,
    BACKGAMMON,
    TANKS,
    TANKS_MELEE,
    RACING,
    TIME_TRIAL,
    CHESS,
    CHESS_ENDGAMES,
    CHESS_MATES,
)

PLUGINS = load_plugins(BUILT_IN)

LEFT_OUT = PLUGINS.left_out
"""The plug-ins that cannot be played, with reasons."""

GAMES: tuple[Competition, ...] = (*BUILT_IN, *PLUGINS.games)


class UnknownGame(LookupError):
    """A game name is unknown. The message lists the known ones."""


def find_game(name: str) -> Competition:
    """The game of that name; raises `UnknownGame`."""
    for game in GAMES:
        if game.name == name:
            return game
    known = ", ".join(game.name for game in GAMES)
    raise UnknownGame(f"there is no game of this name; there are: {known}")


def foreign_packages(game: Competition) -> tuple[str, ...]:
    """The other packages whose sources define the game; all are imported."""
    modules = {type(game).__module__, PLUGINS.modules.get(game.name, __name__)}
    return tuple(sorted({name.partition(".")[0] for name in modules} - {"engines"}))
