"""Warming up covers every game, of either kind."""

from __future__ import annotations

from engines.games import GAMES
from engines.warmup import steps
from tests.engines.toys import DICE_RACE, TUG_OF_WAR


def test_every_game_has_a_step_that_runs() -> None:
    games = (*GAMES, DICE_RACE, TUG_OF_WAR)
    assert [title for title, _ in steps(games)] == [game.title for game in games]
    for _, action in steps(games):
        action()


def test_all_games_are_warmed_up_by_default() -> None:
    assert len(steps()) == len(GAMES)
