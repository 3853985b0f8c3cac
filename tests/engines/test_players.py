"""House bots: equal seeds give equal games, others mostly differ; all are fast enough."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from engines.alphabeta.board_game import BoardGame
from engines.game import CHANCE, Game
from engines.games import GAMES
from tests.engines import toys

BOARD_GAMES = [game for game in (*GAMES, *toys.COMPILED) if isinstance(game, BoardGame)]


def moves_of_match(game: Game, names: list[str], seed: int) -> list[Any]:
    """The moves of one match between house bots, who take the seats in turn."""
    seats = game.ladder_seats
    bots = [game.house_bots[names[seat % len(names)]](seed + seat) for seat in range(seats)]
    dice = random.Random(seed)
    state, moves = game.start(seed, seats), list(game.opening(seed, seats))
    for move in moves:
        state = game.play(state, move)
    while game.outcome(state) is None:
        seat = game.to_move(state)
        if seat == CHANCE:
            moves += dice.choices(game.legal(state), game.chances(state))
        else:
            moves.append(bots[seat].choose(state, seat))
        assert moves[-1] in game.legal(state)
        state = game.play(state, moves[-1])
    return moves


@pytest.mark.parametrize("game", BOARD_GAMES, ids=lambda game: game.name)
def test_a_seed_fixes_the_match(game: Game) -> None:
    for name in game.house_bots:
        pair = [name, next(iter(game.house_bots))]
        assert moves_of_match(game, pair, 5) == moves_of_match(game, pair, 5)


@pytest.mark.parametrize("game", BOARD_GAMES, ids=lambda game: game.name)
def test_seeds_make_matches_differ(game: Game) -> None:
    names = list(game.house_bots)
    middle = [names[len(names) // 2]] * 2
    matches = {tuple(moves_of_match(game, middle, seed)) for seed in range(12)}
    assert len(matches) > 6


@pytest.mark.parametrize("game", BOARD_GAMES, ids=lambda game: game.name)
def test_matches_of_the_strongest_are_quick(game: Game) -> None:
    strongest = list(game.house_bots)[-1]
    moves_of_match(game, [strongest] * 2, 0)
    started = time.process_time()
    moves_of_match(game, [strongest] * 2, 1)
    assert time.process_time() - started < 3
