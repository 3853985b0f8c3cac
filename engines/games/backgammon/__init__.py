"""Backgammon: rules, notation, pictures, evaluations and house bots."""

from engines.games.backgammon.game import BACKGAMMON

__all__ = ["BACKGAMMON"]
