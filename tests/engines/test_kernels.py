"""Generics find the kernels of a state type; compiled walks agree with the interpreted ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from engines.alphabeta import kernels
from engines.alphabeta.board_game import BoardGame
from engines.game import Game
from engines.games import GAMES
from tests.engines import toys

BOARD_GAMES = [game for game in (*GAMES, *toys.COMPILED) if isinstance(game, BoardGame)]
MOST_POSITIONS = 20_000
"""The most positions for which a test walks through the interpreted rules."""


class Unknown(NamedTuple):
    board: int


def plain_perft(game: Game, state: Any, depth: int) -> int:
    if depth == 0:
        return 1
    return sum(plain_perft(game, game.play(state, move), depth - 1) for move in game.legal(state))


@pytest.mark.parametrize("game", BOARD_GAMES, ids=lambda game: game.name)
def test_perft_agrees_with_the_interpreted_rules(game: BoardGame[Any]) -> None:
    start, stack = game.start(0, game.ladder_seats), kernels.new_stack()
    for depth in (1, 2, 3, 4):
        count = kernels.perft(game.board(start), depth, 0, stack, 0)
        if depth > 2 and count > MOST_POSITIONS:
            break
        assert count == plain_perft(game, start, depth)


@pytest.mark.parametrize("game", BOARD_GAMES, ids=lambda game: game.name)
def test_playouts_end_and_follow_their_seed(game: BoardGame[Any]) -> None:
    start, stack = game.board(game.start(0, game.ladder_seats)), kernels.new_stack()
    lengths = [kernels.playout(start, np.uint64(seed), stack, 0) for seed in range(1, 200)]
    assert len(set(lengths)) > 3 or game is toys.RAID, "it always has ten plies"
    assert lengths[0] == kernels.playout(start, np.uint64(1), stack, 0)


@pytest.mark.parametrize("kernel", [kernels.mobility, kernels.over, kernels.result, kernels.key])
def test_a_state_without_kernels_is_named(kernel: Any) -> None:
    with pytest.raises(TypeError, match="Unknown"):
        kernel(Unknown(0))
