"""Warming up covers every game, of either kind."""

from __future__ import annotations

from engines.games import GAMES
from engines.warmup import families, warm
from tests.engines.toys import DICE_RACE, TUG_OF_WAR


def test_every_game_can_be_warmed() -> None:
    for game in (*GAMES, DICE_RACE, TUG_OF_WAR):
        warm(game)


def test_each_game_is_in_one_family() -> None:
    named = [game.name for family in families() for game in family]
    assert sorted(named) == sorted(game.name for game in GAMES)
