"""American checkers on 8x8 and 10x10, and lose checkers."""

from engines.games.checkers.game import AMERICAN, LARGE, LOSING

__all__ = ["AMERICAN", "LARGE", "LOSING"]
