"""Every game and every house bot is described in docs/games.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.search_table import OPENING, measure
from engines.game import Game
from engines.games import GAMES
from engines.games.checkers import AMERICAN

PAGE = (Path(__file__).parents[2] / "docs" / "games.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "game", [game for game in GAMES if isinstance(game, Game)], ids=lambda game: game.name
)
def test_games_and_bots_are_described(game: Game) -> None:
    assert f"`{game.name}`" in PAGE
    assert game.title in PAGE
    for name in game.house_bots:
        kind, _, depth = name.partition("-")
        assert f"`{kind}" in PAGE
        assert re.search(rf"`{kind}-{depth}`|`-{depth}`|to `-8`", PAGE) or not depth


def test_positions_shown_are_positions() -> None:
    for text in re.findall(r"`([bBwW.]{32} [bw](?: \d+)?)`", PAGE):
        assert AMERICAN.position(AMERICAN.from_position(text)) == text


def test_the_search_table_is_the_one_shown() -> None:
    row = next(row for row in measure([8]) if row.position == OPENING)
    for cell in row.cells.values():
        assert f"{cell.nodes:,}" in PAGE
